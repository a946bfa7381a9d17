import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { Stop } from '../../progress.ts'
import { expectSame, expectText, openPlayground } from './open.ts'

/** Maximum size of the compressed playground page in bytes. */
const MAX_COMPRESSED = 250_000

/** Number of times that the test loads the playground page to measure its first paint. The fastest load counts. */
const LOADS = 5

interface Story {
  readonly title: string
  /** Fragment of the page's address, which contains the settings with which the page starts. */
  readonly hash?: string
  readonly play: (page: Page, pictures: string) => Promise<void>
}

/** Tests the playground page by typing and clicking, opened from a file. */
export function playStories(browser: Browser, file: string, pictures: string) {
  const address = pathToFileURL(file).href
  return stories.map(({ title, hash = '', play }) => ({
    title,
    async run() {
      const { page, done } = await openPlayground(browser, `${address}${hash}`)
      await play(page, pictures)
      await done()
    },
  }))
}

/** Measures the playground page's compressed size and time to first paint, with limits. */
export async function measure(browser: Browser, file: string) {
  const bytes = gzipSync(readFileSync(file)).length
  if (bytes > MAX_COMPRESSED) throw new Stop(`the page has ${bytes} compressed bytes, more than ${MAX_COMPRESSED}`)
  const paints: number[] = []
  for (let i = 0; i < LOADS; i += 1) {
    const { page, done } = await openPlayground(browser, pathToFileURL(file).href)
    await expectText(page, '#decision h2', 'Captured')
    paints.push(
      await page.evaluate<number>(
        "performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint').startTime",
      ),
    )
    await done()
  }
  // The fastest load of the page counts, because a busy machine slows other loads down.
  const paint = Math.min(...paints)
  if (paint > 1000) throw new Stop(`the first paint took ${paint.toFixed(0)} ms, more than a second`)
  return { note: `${(bytes / 1000).toFixed(0)} kB compressed, first paint after ${paint.toFixed(0)} ms` }
}

// internal

const type = async (page: Page, selector: string, text: string) => {
  await page.locator(selector).fill('')
  await page.locator(selector).pressSequentially(text)
}

const verdict = (page: Page, text: string | RegExp) => expectText(page, '#walk-verdict', text)

/** Code that runs in the browser. It is a string, because this program lacks browser types. */
const paste = `(() => {
  const rule = (_, i) => '-A OUTPUT -d 10.' + (i >> 8) + '.' + (i & 255) + '.1/32 -p tcp -m tcp --dport 80 -j DROP'
  const field = document.getElementById('rules-text')
  field.value = ['*filter', ':OUTPUT ACCEPT [0:0]', ...Array.from({ length: 20000 }, rule), 'COMMIT', ''].join('\\n')
  field.dispatchEvent(new Event('input', { bubbles: true }))
})()`

const stories: readonly Story[] = [
  {
    title: 'a pod with a sidecar is captured, and its packet ends in the proxy',
    async play(page, pictures) {
      await expectText(page, '#decision h2', 'Captured')
      await verdict(page, 'Proxy: the proxy (outbound), port 15001')
      await page.locator('details#walk-text summary').click()
      await expectText(page, '#walk-text pre', 'ACCEPT to 127.0.0.1:15001')
      await page.locator('#walk').screenshot({ path: join(pictures, 'playground-walk.png') })
    },
  },
  {
    title: 'annotations alone, typed: an excluded port leaves without the proxy',
    async play(page) {
      await page.locator('#pod-text').fill("traffic.sidecar.istio.io/excludeOutboundPorts: '330'")
      await page.locator('#pod-text').press('ArrowLeft')
      await page.locator('#pod-text').press('6')
      await page.locator('#packet-to').fill('10.96.0.30')
      await type(page, '#packet-port', '3306')
      await verdict(page, 'Out, to 10.96.0.30:3306')
      await expectText(page, '#decision', 'Annotations alone')
      await expectText(page, '.setting', '3306')
    },
  },
  {
    title: 'an annotation with a mistake: the words of the plugin',
    async play(page) {
      await page.locator('#example').selectOption('bad-annotation')
      await expectText(
        page,
        '#why',
        'annotation traffic.sidecar.istio.io/excludeInboundPorts of pod shop/web is "8080;9090"',
      )
      await page.getByText('What istio-cni prints').click()
      await expectText(page, '.decision pre', '"code": 7')
    },
  },
  {
    title: 'a pod that was never injected: why it is skipped',
    async play(page) {
      await page.locator('#example').selectOption('not-injected')
      await expectText(page, '#decision h2', 'Not captured')
      await expectText(page, '#why', 'excluded because it does not have istio-proxy container (have [app])')
      await expectText(page, '#because', 'container istio-proxy')
      await verdict(page, 'Out, to')
    },
  },
  {
    title: 'nftables and TPROXY, clicked: the client’s address stays',
    async play(page) {
      await page.getByLabel('nftables').check()
      await page.getByLabel('Inbound by').selectOption('TPROXY')
      await page.getByRole('button', { name: 'Follow: Another pod calls the application' }).click()
      await verdict(page, 'Proxy: the proxy (inbound), port 15006')
      await expectText(page, '#walk-verdict', 'destination intact')
      await expectText(page, '#lines-nft', 'tproxy ip to :15006')
    },
  },
  {
    title: 'by keyboard alone: tabs, lines and their settings',
    async play(page) {
      await expectText(page, '#decision h2', 'Captured')
      await page.locator('#tab-pod').focus()
      await page.keyboard.press('ArrowRight')
      expectSame('the focus', await page.evaluate<string>('document.activeElement.id'), 'tab-rules')
      await expectText(page, '#own-walk-verdict', 'Out')
      await page.keyboard.press('Home')
      await page.locator('#lines-save-ipv4 .line').first().focus()
      for (let i = 0; i < 6; i += 1) await page.keyboard.press('ArrowDown')
      await expectText(page, '#explanation', '--dport 15020')
      await expectText(page, '#explanation', 'Excluded inbound ports: 15020,15021,15090')
      await page.keyboard.press('End')
      await page.keyboard.press('ArrowUp')
      await expectText(page, '#explanation', '-A OUTPUT -j ISTIO_OUTPUT')
    },
  },
  {
    title: 'a setting lights up its lines, a line its settings',
    async play(page, pictures) {
      await page.locator('#setting-excludeInboundPorts').hover()
      const lit = page.locator('#lines-save-ipv4 .line.lit')
      expectSame('lines', await lit.count(), 3)
      await page.locator('#lines-save-ipv4 .line', { hasText: '--to-ports 15006' }).hover()
      await expectText(page, '.setting.lit', 'Inbound port of the proxy')
      await page.locator('#rules-card').screenshot({ path: join(pictures, 'playground-rules.png') })
    },
  },
  {
    title: 'a link carries annotations and settings to another page, and no environment',
    async play(page) {
      await page.locator('#example').selectOption('excluded-port')
      await verdict(page, 'Out, to 10.96.0.30:3306')
      await page.locator('#copy-link').click()
      await expectText(page, '#link-status', 'The link is in')
      const link = page.url()
      if (!/#s=[\w-]{20,8000}$/.test(link)) throw new Stop(`${link} is no link of the page`)
      await page.goto('about:blank')
      await page.goto(link)
      await verdict(page, 'Out, to 10.96.0.30:3306')
      const text = await page.locator('#pod-text').inputValue()
      if (!text.includes('3306,5432') || text.includes('runAsUser')) throw new Stop(`the link brought ${text}`)
    },
  },
  {
    title: 'hostile input stays text, in a link, a pod, rules and files',
    hash: '#s=7ZZZ',
    async play(page) {
      await expectText(page, '#link-status', 'the link cannot be read')
      const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
      await page.locator('#pod-text').fill(`traffic.sidecar.istio.io/excludeInterfaces: ${JSON.stringify(hostile)}`)
      await expectText(page, '#why', '<img src=x')
      await page.locator('#tab-rules').click()
      await page
        .locator('#rules-text')
        .fill(`*nat\n-A OUTPUT -m comment --comment ${JSON.stringify(hostile.replaceAll('"', ''))} -j DROP\nCOMMIT\n`)
      await expectText(page, '#own-walk', '<script>')
      await page.locator('#tab-folder').click()
      await page
        .locator('#folder-text')
        .fill(`==> ${hostile} <==\n{}\n==> 1.conf <==\n{"name":"a","type":${JSON.stringify(hostile)}}`)
      await expectText(page, '#folder-answer', '<img src=x')
      const made = await page.locator('main img, main script').count()
      const title = await page.title()
      if (made !== 0 || !title.startsWith('Why')) throw new Stop('something pasted became a part of the page')
    },
  },
  {
    title: 'rules of a node: a rule in front of Istio’s takes the packet; 20 000 rules are answered',
    async play(page, pictures) {
      await page.locator('#tab-rules').click()
      await expectText(page, '#own-walk-verdict', 'Out, to 10.96.0.20:80')
      await type(page, '#own-port', '8080')
      await expectText(page, '#own-walk-verdict', 'Proxy: the proxy (outbound), port 15001')
      await page.screenshot({ path: join(pictures, 'playground-own-rules.png'), fullPage: true })
      // Fills a text field of the page at once, which is faster than typing.
      await page.evaluate(paste)
      await expectText(page, '#own-walk', '20000 rules of iptables-save were read')
    },
  },
  {
    title: 'files in net.d: a broken one stops containerd, repaired it does not',
    async play(page, pictures) {
      await page.locator('#tab-folder').click()
      await expectText(page, '#now-containerd', 'containerd loads no network while 05-leftover.conflist is broken')
      await expectText(page, '#place', 'It becomes the last plugin of 10-calico.conflist')
      await page.screenshot({ path: join(pictures, 'playground-net.d.png'), fullPage: true })
      const text = await page.locator('#folder-text').inputValue()
      await page.locator('#folder-text').fill(text.slice(text.indexOf('==> /etc/cni/net.d/10')))
      await expectText(page, '#now-containerd', 'containerd uses 10-calico.conflist, and istio-cni is not in it')
    },
  },
  {
    title: 'ambient: ztunnel instead of a sidecar',
    hash: '#example=ambient',
    async play(page) {
      await expectText(page, '#why', 'enablement selector 1 chooses it')
      await verdict(page, 'Proxy: ztunnel (inbound, plain text), port 15006')
      await page.getByLabel('nftables').check()
      await expectText(page, '#lines-nft', 'istio-ambient-nat')
      await verdict(page, 'Proxy: ztunnel (inbound, plain text), port 15006')
    },
  },
]
