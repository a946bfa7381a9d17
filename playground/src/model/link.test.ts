import { expect, test } from 'vitest'
import { linkOf, MAX_LINK_CHARS, sharedInLink, sharedInText, sharedText } from './link.ts'
import { defaultSettings } from './settings.ts'

const shared = {
  annotations: { 'traffic.sidecar.istio.io/excludeOutboundPorts': '3306' },
  labels: { app: 'wéb' },
  settings: { ...defaultSettings, backend: 'nftables' as const },
}

test('a link and a file return their original data', async () => {
  const fragment = (await linkOf(shared)) ?? ''
  expect(fragment).toMatch(/^s=[\w-]+$/)
  expect(await sharedInLink(`#${fragment}`)).toEqual(shared)
  expect(sharedInText(sharedText(shared))).toEqual(shared)
})

test('data for more than 8 kB gives no link', async () => {
  const random = Array.from({ length: 9000 }, (_, i) => ((i * 7919) % 65_536).toString(36)).join()
  expect(await linkOf({ ...shared, annotations: { a: random } })).toBeUndefined()
})

async function packed(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return `s=${Buffer.from(await new Response(stream).arrayBuffer()).toString('base64url')}`
}

test.each([
  ['nothing of ours', { a: 1 }, /not one of this page/],
  ['a member of another kind', { v: 1, ...shared, annotations: { a: 1 } }, /annotations\.a is not valid/],
  [
    'a setting that is none',
    { v: 1, ...shared, settings: { ...shared.settings, backend: '<b>' } },
    /settings\.backend/,
  ],
  ['a member more', { v: 1, ...shared, pod: {} }, /not one of this page/],
  ['a long run of one letter', 'a'.repeat(2_000_000), /more than 524288 bytes/],
])('a hostile link is rejected with a message: %s', async (_, value, problem) => {
  const link = await packed(value)
  expect(link.length).toBeLessThan(MAX_LINK_CHARS)
  await expect(sharedInLink(link)).rejects.toThrow(problem)
})

test.each(['s=', 's=%%%', 's=AAAA', 'x', `s=${'A'.repeat(9000)}`])(
  'a broken link is rejected with a message: %.12s',
  async (link) => {
    await expect(sharedInLink(link)).rejects.toThrow(/^the link /)
  },
)
