import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { Stop } from '../../progress.ts'
import { expectText, openPlayground } from './open.ts'

const views = [
  { name: 'wide', width: 1280, height: 900, colorScheme: 'light' },
  { name: 'dark', width: 1280, height: 900, colorScheme: 'dark' },
  { name: 'narrow', width: 390, height: 844, colorScheme: 'light' },
] as const

/** Checks the accessibility of the playground page in several views. */
export async function checkViews(browser: Browser, file: string, pictures: string) {
  for (const { name, width, height, colorScheme } of views) {
    const options = { viewport: { width, height }, colorScheme }
    const { page, done } = await openPlayground(browser, pathToFileURL(file).href, options)
    await expectText(page, '#decision h2', 'Captured')
    await expectText(page, '#lines-save-ipv4', 'COMMIT')
    await page.screenshot({ path: join(pictures, `playground-${name}.png`), fullPage: true })
    // Takes a picture of the page's upper part, as the guide shows it.
    const clip = { x: 0, y: 0, width, height: Math.min(1180, height + 280) }
    await page.screenshot({ path: join(pictures, `playground-${name}-top.png`), clip, fullPage: true })
    const problems = await page.evaluate<string[]>(audit)
    await done()
    if (problems.length > 0) throw new Stop(`${name}: ${problems.join('\n')}`)
  }
  return { note: views.map(({ name }) => name).join(', ') }
}

// internal

/** Code that runs in the browser. It is a string, because this program lacks browser types. */
const audit = `(() => {
  const problems = []
  const seen = (element) => element.getClientRects().length > 0
  const name = (element) => element.getAttribute('aria-label') || element.getAttribute('aria-labelledby') || element.labels?.length || element.textContent.trim()
  for (const element of document.querySelectorAll('button, input, select, textarea, a, [role=tab], [role=listbox], [role=tabpanel], [role=img]')) {
    if (seen(element) && !name(element)) problems.push('no name: ' + element.outerHTML.slice(0, 120))
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push('an id twice: ' + id)
  for (const element of document.querySelectorAll('[aria-controls], [aria-labelledby], [aria-describedby]')) {
    for (const attribute of ['aria-controls', 'aria-labelledby', 'aria-describedby']) {
      for (const id of (element.getAttribute(attribute) ?? '').split(' ').filter(Boolean)) if (!ids.includes(id)) problems.push(attribute + ' leads nowhere: ' + id)
    }
  }
  const levels = [...document.querySelectorAll('h1, h2, h3')].filter(seen).map(({ tagName }) => Number(tagName[1]))
  levels.forEach((level, at) => { if (at > 0 && level > levels[at - 1] + 1) problems.push('a heading of level ' + level + ' below one of level ' + levels[at - 1]) })
  if (document.documentElement.scrollWidth > innerWidth) problems.push('the page is wider than the window: ' + document.documentElement.scrollWidth)
  const rgb = (text) => { const parts = text.match(/[\\d.]+/g).map(Number); return { rgb: parts.slice(0, 3), alpha: parts[3] ?? 1 } }
  const light = ({ rgb }) => { const [r, g, b] = rgb.map((part) => { const value = part / 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4 }); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
  const behind = (element) => { for (let at = element; at; at = at.parentElement) { const colour = rgb(getComputedStyle(at).backgroundColor); if (colour.alpha === 1) return colour } return { rgb: [255, 255, 255] } }
  for (const element of document.querySelectorAll('body *:not(svg *)')) {
    if (!seen(element) || ![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '')) continue
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x)
    if ((a + 0.05) / (b + 0.05) < 4.5) problems.push('too little contrast, ' + ((a + 0.05) / (b + 0.05)).toFixed(2) + ': ' + element.outerHTML.slice(0, 120))
  }
  return problems
})()`
