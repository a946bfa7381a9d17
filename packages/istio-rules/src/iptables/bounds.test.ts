import { expect, test } from 'vitest'
import { makeBatch } from '../../../istio-redirect/src/decide/make-batch.ts'
import { captureConfig } from '../capture/config.ts'
import { type Redirect, redirectFor } from '../capture/redirect.ts'
import { MAX_RULES } from '../capture/rule-count.ts'
import { annotations } from '../pod/annotations.ts'
import { listEntries, MAX_LIST_CHARS, MAX_LIST_ENTRIES } from '../pod/list-entries.ts'
import type { PodInfo } from '../pod/pod-info.ts'
import { isRedirectError } from '../pod/redirect-error.ts'
import { redirectRules } from './rules.ts'

const many = (count: number, entry: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => entry(i)).join(',')
const name = (i: number) => `i${i.toString(36)}`
const range = (i: number) => `10.${i >> 8}.${i & 255}.0/24`

const podWith = (annotated: Record<string, string>, proxyEnv: Record<string, string> = {}): PodInfo => ({
  namespace: 'demo',
  name: 'web',
  containers: new Set(['istio-proxy']),
  labels: {},
  annotations: annotated,
  proxyEnv,
  hostNetwork: false,
})

const attempt = (pod: PodInfo): Redirect | Error => {
  try {
    return redirectFor(pod)
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

/** Keys of a pod's lists, each with a function that creates valid entries. */
const lists = [
  [annotations.includeOutboundIPRanges.key, range],
  [annotations.excludeOutboundIPRanges.key, range],
  [annotations.includeInboundPorts.key, String],
  [annotations.excludeInboundPorts.key, String],
  [annotations.includeOutboundPorts.key, String],
  [annotations.excludeOutboundPorts.key, String],
  [annotations.excludeInterfaces.key, name],
  [annotations.rerouteVirtualInterfaces.key, name],
  [annotations.kubevirtInterfaces.key, name],
] as const

test.each(lists)('%s accepts 1024 entries, and an error names it above the limit', (key, entry) => {
  expect(attempt(podWith({ [key]: many(1024, entry) }))).not.toBeInstanceOf(Error)
  const refused = attempt(podWith({ [key]: many(MAX_LIST_ENTRIES + 1, entry) }))
  expect(refused).toSatisfy(isRedirectError)
  expect(refused).toMatchObject({ key, message: expect.stringContaining('the list has 4097 entries, at most 4096') })
  expect(String(refused).length).toBeLessThan(400)
})

test.each([annotations.includeOutboundPorts.key, annotations.excludeInterfaces.key])(
  '%s causes an error for a text of more than 256 KiB',
  (key) => {
    const refused = attempt(podWith({ [key]: `80${' '.repeat(MAX_LIST_CHARS)}` }))
    expect(refused).toMatchObject({ key, message: expect.stringContaining('has 262146 characters, at most 262144') })
  },
)

test('owner groups of the proxy have the same limit', () => {
  const refused = attempt(podWith({}, { ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE: many(5000, String) }))
  expect(refused).toMatchObject({
    key: 'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE',
    message: expect.stringContaining('5000 entries'),
  })
})

test('lists that multiply cause an error before rules are created, and it names the longest list', () => {
  const { rerouteVirtualInterfaces, includeOutboundIPRanges } = annotations
  const refused = attempt(
    podWith({ [rerouteVirtualInterfaces.key]: many(2000, name), [includeOutboundIPRanges.key]: many(2000, range) }),
  )
  expect(refused).toMatchObject({ key: rerouteVirtualInterfaces.key })
  expect(String(refused)).toContain(`need 4004062 rules, at most ${MAX_RULES} are possible`)
})

test('an empty entry is kept, so that it causes an error of its own', () => {
  expect(listEntries('a,,b')).toEqual(['a', '', 'b'])
  expect(listEntries('')).toEqual([''])
})

test.each([
  ['2000 interfaces', { [annotations.excludeInterfaces.key]: many(2000, name) }],
  ['4000 ranges', { [annotations.includeOutboundIPRanges.key]: many(4000, range) }],
  [
    '1024 interfaces with TPROXY',
    { [annotations.excludeInterfaces.key]: many(1024, name), [annotations.interceptionMode.key]: 'TPROXY' },
  ],
])('4000 and more rules are created in less than a second: %s', (_, annotated) => {
  const config = captureConfig(redirectFor(podWith(annotated)), { ipv6: true })
  const began = performance.now()
  expect(redirectRules(config).rules.length).toBeGreaterThan(4000)
  // Bound below the time of quadratic algorithms, which took 10 s and more.
  expect(performance.now() - began).toBeLessThan(1000)
  const made = performance.now()
  expect(makeBatch(config, 'iptables-nft')?.length).toBeGreaterThan(500_000)
  expect(makeBatch(config, 'nftables')?.length).toBeGreaterThan(500_000)
  expect(performance.now() - made).toBeLessThan(4000)
})
