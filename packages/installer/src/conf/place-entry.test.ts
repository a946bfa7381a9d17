import { expect, test } from 'vitest'
import { placeEntry } from './place-entry.ts'

const bytes = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
const calico = { cniVersion: '0.3.1', name: 'k8s', plugins: [{ type: 'calico' }, { type: 'portmap' }] }
const plugin = { type: 'istio-cni', name: 'istio-cni' }

test('the entry becomes the last plugin of the first usable file', () => {
  const folder = new Map([
    ['10-calico.conflist', bytes(calico)],
    ['05-broken.conflist', new TextEncoder().encode('{')],
    ['20-other.conflist', bytes(calico)],
  ])
  const place = placeEntry(folder, plugin)
  expect(place).toMatchObject({ kind: 'insert', name: '10-calico.conflist', becomes: '10-calico.conflist' })
  const { text, diff } = place.kind === 'wait' ? { text: '{}', diff: [] } : place
  expect(JSON.parse(text).plugins.map(({ type }: { type: string }) => type)).toEqual(['calico', 'portmap', 'istio-cni'])
  expect(diff.filter(({ op }) => op === '+').map((line) => line.text)).toContainEqual(
    expect.stringContaining('istio-cni'),
  )
})

test('an existing entry stays, a single configuration becomes a list, and a folder without a network waits', () => {
  const there = placeEntry(new Map([['10-calico.conflist', bytes(calico)]]), plugin)
  const text = there.kind === 'wait' ? '' : there.text
  expect(placeEntry(new Map([['10-calico.conflist', new TextEncoder().encode(text)]]), plugin)).toMatchObject({
    kind: 'unchanged',
    text,
  })
  expect(placeEntry(new Map([['10-net.conf', bytes({ name: 'net', type: 'bridge' })]]), plugin)).toMatchObject({
    kind: 'convert',
    becomes: '10-net.conflist',
  })
  expect(placeEntry(new Map(), plugin)).toEqual({
    kind: 'wait',
    reason: 'no valid network configuration: no file in the folder',
  })
})
