import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { Stop } from '../../progress.ts'

/** Opens the playground page. A network request or an error fails the test step. */
export async function openPlayground(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; done(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  // Waits up to two minutes for each browser action, because the machine may be busy.
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('request', (request) => {
    if (!/^(blob:|data:)/.test(request.url()) && !request.isNavigationRequest())
      problems.push(`asks for ${request.url()}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`opens a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(address)
  return {
    page,
    async done() {
      await context.close()
      if (problems.length > 0) throw new Stop([...new Set(problems)].join('\n'))
    },
  }
}

/** Waits until an element of the page shows a text. */
export async function expectText(page: Page, selector: string, text: string | RegExp): Promise<void> {
  const found = page.locator(selector, { hasText: text }).first()
  await found.waitFor().catch(async () => {
    const now = await page
      .locator(selector)
      .first()
      .textContent({ timeout: 1000 })
      .catch(() => 'nothing')
    throw new Stop(`${selector} says ${JSON.stringify(now)}, not ${text}`)
  })
}

/** Throws an error with both values if their JSON texts differ. */
export function expectSame(what: string, found: unknown, wanted: unknown): void {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return
  throw new Stop(`${what}:\n  page: ${JSON.stringify(found)}\n  wanted: ${JSON.stringify(wanted)}`)
}
