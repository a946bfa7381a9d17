import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { Stop, step } from '../progress.ts'
import { site } from './build.ts'
import { serveFolder } from './serve.ts'

/** Tests the documentation site in a browser: pages, links, headings and search. */
export async function visitSite(program: string, pictures: string) {
  mkdirSync(pictures, { recursive: true })
  using server = await serveFolder(site)
  await using browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
  const { origin } = server
  await step('every page, every link on it', () => followAll(browser, origin))
  await step('search', () => search(browser, origin, pictures))
  await step('from the first page to a plugin', () => read(browser, origin, pictures))
}

async function followAll(browser: Browser, origin: string) {
  const page = await browser.newPage()
  const problems: string[] = []
  let where = origin
  page.on('pageerror', (error) => problems.push(`${where}: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${where}: ${response.url()} is ${response.status()}`)
  })
  const anchors: Map<string, Set<string>> = new Map()
  const wanted: { from: string; path: string; anchor: string }[] = []
  const waiting = ['/']
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (anchors.has(path)) continue
    where = path
    await page.goto(origin + path, { waitUntil: 'domcontentloaded' })
    // Code that runs in the browser. It is a string, because this program lacks browser types.
    const { ids, hrefs } = await page.evaluate<{ ids: string[]; hrefs: string[] }>(`({
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      hrefs: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
    })`)
    anchors.set(path, new Set(ids))
    for (const href of hrefs.filter((each) => each.startsWith(`${origin}/`))) {
      const { pathname, hash } = new URL(href)
      wanted.push({ from: path, path: pathname, anchor: decodeURIComponent(hash.slice(1)) })
      waiting.push(pathname)
    }
  }
  for (const { from, path, anchor } of wanted) {
    // Skips links such as `#example=ID`, which choose an example instead of a heading.
    if (path === '/playground.html' && anchor.startsWith('example=')) continue
    if (anchor !== '' && !anchors.get(path)?.has(anchor)) problems.push(`${from}: ${path} has no heading #${anchor}`)
  }
  if (problems.length > 0) throw new Stop([...new Set(problems)].join('\n'))
  return { note: `${anchors.size} pages, ${wanted.length} links` }
}

async function search(browser: Browser, origin: string, pictures: string) {
  const page = await browser.newPage()
  await page.goto(`${origin}/guide/`)
  await page.locator('.VPNavBarSearch button').first().click()
  await page.locator('#localsearch-input').fill('removeChains')
  const first = page.locator('#localsearch-list a').first()
  await first.waitFor()
  await page.screenshot({ path: join(pictures, 'search.png') })
  await first.click()
  await page.waitForURL((url) => url.pathname !== '/guide/')
  // Waits for the content of the page that the search has found. The browser's address changes before the content.
  const found = page.locator('main', { hasText: 'removeChains' })
  await found.waitFor().catch(() => {
    throw new Stop(`searching for removeChains led to ${page.url()}, which lacks it`)
  })
  return { note: new URL(page.url()).pathname }
}

async function read(browser: Browser, origin: string, pictures: string) {
  const page = await browser.newPage()
  await page.goto(origin)
  await page.screenshot({ path: join(pictures, 'home.png') })
  await page.getByRole('link', { name: 'Write a plugin', exact: true }).click()
  await heading(page, 'Write a chained plugin')
  await page.screenshot({ path: join(pictures, 'page.png') })
  // Follows the link to the next page, which must be the guide's next page in reading order.
  await page.locator('.VPDocFooter .next').click()
  await heading(page, 'What to import')
  await page.goto(`${origin}/guide/ambient.html`)
  const chart = page.locator('main img[src$=".svg"]').first()
  await chart.scrollIntoViewIfNeeded()
  // Checks the width of the chart's picture, because a missing or broken picture has the width 0.
  const drawn = await chart.evaluate('(image) => image.decode().then(() => image.naturalWidth)')
  if (drawn === 0) throw new Stop('the chart of ambient mode is no picture')
  await page.screenshot({ path: join(pictures, 'chart.png') })
  await page.goto(`${origin}/api/@cni/netns.html`)
  await page.screenshot({ path: join(pictures, 'api.png') })
}

const heading = (page: Page, text: string) => page.getByRole('heading', { level: 1, name: text }).waitFor()
