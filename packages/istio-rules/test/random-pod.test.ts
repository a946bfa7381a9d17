import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PodCase, podCase } from './random-pod.ts'

// Checks without Istio that the interesting cases occur often enough for a comparison.
describe('random pods', () => {
  const drawn = fc.sample(podCase, { seed: 1, numRuns: 1000 })
  const isIpv6 = (address: string) => address.includes(':') && !address.startsWith('fe80:')

  test.each<[string, (one: PodCase) => boolean]>([
    [
      'sometimes have IPv6 addresses that are only in the namespace',
      (one) => !one.told.some(isIpv6) && one.addresses.some(isIpv6),
    ],
    [
      'sometimes have IPv6 addresses that are only in the result',
      ({ told, addresses }) => told.filter(isIpv6).length > addresses.filter(isIpv6).length,
    ],
    [
      'sometimes have IPv6 turned off on all interfaces',
      (one) => one.addresses.some(isIpv6) && one.withoutIpv6[0] === 'all',
    ],
    ['sometimes have IPv6 turned off on lo', (one) => one.addresses.some(isIpv6) && one.withoutIpv6[0] === 'lo'],
  ])('%s', (_, holds) => {
    expect(drawn.filter(holds).length).toBeGreaterThan(10)
  })
})
