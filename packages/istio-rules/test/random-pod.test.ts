import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type PodCase, podCase } from './random-pod.ts'

// Needs no original: what is compared with it has to occur often enough to be compared.
describe('random pods', () => {
  const drawn = fc.sample(podCase, { seed: 1, numRuns: 1000 })
  const isIpv6 = (address: string) => address.includes(':') && !address.startsWith('fe80:')

  test.each<[string, (one: PodCase) => boolean]>([
    ['have IPv6 that only the namespace knows', (one) => !one.told.some(isIpv6) && one.addresses.some(isIpv6)],
    [
      'have IPv6 that only the result knows',
      ({ told, addresses }) => told.filter(isIpv6).length > addresses.filter(isIpv6).length,
    ],
    ['have IPv6 that is switched off everywhere', (one) => one.addresses.some(isIpv6) && one.withoutIpv6[0] === 'all'],
    ['have IPv6 that is switched off on lo', (one) => one.addresses.some(isIpv6) && one.withoutIpv6[0] === 'lo'],
  ])('%s', (_, holds) => {
    expect(drawn.filter(holds).length).toBeGreaterThan(10)
  })
})
