import { expect, test } from 'vitest'
import { answer } from './answer.ts'
import { examples, settingsOf } from './examples.ts'
import { defaultSettings } from './settings.ts'

const ask = async (text: string, settings = defaultSettings) => {
  const found = await answer({ about: 'pod', text, settings })
  if (found.about !== 'pod') throw new Error('the answer is about something else')
  return found
}

const ends = {
  sidecar: ['captured', 'proxy'],
  'excluded-port': ['captured', 'out'],
  'included-ranges': ['captured', 'out'],
  'not-injected': ['skipped', 'out'],
  'host-network': ['skipped', 'out'],
  'bad-annotation': ['refused', undefined],
  'runs-as-1337': ['captured', 'out'],
  tproxy: ['captured', 'proxy'],
  dns: ['captured', 'proxy'],
  ambient: ['captured', 'proxy'],
}

test.each(examples)('example $id, on both back ends', async (example) => {
  for (const backend of ['iptables', 'nftables'] as const) {
    const { answer: found } = await ask(example.text, { ...settingsOf(example), backend })
    if (found.kind === 'problem') throw new Error(found.problem)
    const end = 'end' in found.walk ? found.walk.end.kind : undefined
    expect({ [example.id]: [found.kind, end] }).toEqual({
      [example.id]: Object.entries(ends).find(([id]) => id === example.id)?.[1],
    })
  }
})

test('each rule is explained by the settings that cause it', async () => {
  const { answer: found } = await ask("traffic.sidecar.istio.io/excludeOutboundPorts: '3306'\n")
  if (found.kind !== 'captured') throw new Error(found.kind)
  const lines = found.listings.flatMap((listing) => listing.lines.map((line) => ({ ...line, listing: listing.id })))
  const about = (text: string) => lines.filter((line) => line.text.includes(text)).map(({ origins }) => origins.join())
  expect(about('3306')).toEqual(Array.from({ length: 6 }, () => 'excludeOutboundPorts'))
  expect(about('--to-ports 15006')).toContain('inboundCapturePort')
  expect(found.settings.find(({ id }) => id === 'excludeOutboundPorts')).toMatchObject({ value: '3306', isSet: true })
  expect(found.settings.map(({ id }) => id)).not.toContain('tproxyMark')
})

test('matched rules are marked in the listing', async () => {
  for (const backend of ['iptables', 'nftables'] as const) {
    const { answer: found } = await ask('{}', { ...defaultSettings, backend })
    if (found.kind !== 'captured') throw new Error(found.kind)
    const listed = new Set(found.listings.flatMap(({ lines }) => lines.map(({ place, index }) => `${place} ${index}`)))
    const hits = found.typical.flatMap(({ hits: own }) => own)
    expect(hits.length).toBeGreaterThan(10)
    expect(hits.filter((hit) => !listed.has(hit))).toEqual([])
  }
})

test('a link of a pod contains its annotations, and settings from its environment', async () => {
  const dns = examples
    .find(({ id }) => id === 'sidecar')
    ?.text.replace('args:', 'env: [{ name: ISTIO_META_DNS_CAPTURE, value: "true" }]\n      args:')
  const { shared } = await ask(dns ?? '')
  expect(shared?.annotations).toEqual({ 'sidecar.istio.io/status': '{"revision":"default"}' })
  expect(shared?.settings).toMatchObject({ dns: 'on', families: 'ipv4' })
  expect(JSON.stringify(shared)).not.toContain('ISTIO_META')
})

test.each([
  ['broken YAML', 'metadata:\n  - a\n b: [', /the text: /],
  ['a mapping with a key twice', 'a: 1\na: 2\n', /Map keys must be unique/],
  [
    'an alias bomb',
    `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((key, i) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[i]}`)}]`).join('\n')}\n`,
    /alias/i,
  ],
  ['deep nesting', '['.repeat(100_000), /nested too deep|the text: /],
  ['a text that is too long', ' '.repeat(600_000), /at most 524288/],
  ['a Deployment', 'kind: Deployment\nmetadata: { name: a }\nspec: { template: {} }\n', /is not a pod/],
])('invalid input gives an error message: %s', async (_, text, problem) => {
  const { answer: found } = await ask(text)
  expect(found).toMatchObject({ kind: 'problem', problem: expect.stringMatching(problem) })
})

test("hostile annotations are rejected with the plugin's error", async () => {
  const value = JSON.stringify('1; </script><img src=x onerror=alert(1)>\n-A INPUT')
  const { answer: found } = await ask(`traffic.sidecar.istio.io/excludeOutboundPorts: ${value}\n`)
  expect(found).toMatchObject({ kind: 'refused', why: expect.stringMatching(/^annotation traffic.*is not a port/) })
})

test('thousands of entries are explained by their list', async () => {
  const list = Array.from({ length: 2000 }, (_, i) => i + 1).join()
  const { answer: found } = await ask(`traffic.sidecar.istio.io/excludeOutboundPorts: '${list}'\n`)
  if (found.kind !== 'captured') throw new Error(found.kind)
  const [saved] = found.listings
  const origins = saved?.lines.filter(({ text }) => text.includes('--dport 9')).map((line) => line.origins.join())
  expect(new Set(origins)).toEqual(new Set(['excludeOutboundPorts']))
  expect(saved?.more).toBeGreaterThan(2000)
})
