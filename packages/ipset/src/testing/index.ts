/**
 * Fake IP sets in memory, to test code that uses `@cni/ipset` without a kernel.
 *
 * @example
 * ```ts
 * import { fakeIpset } from '@cni/ipset/testing'
 *
 * const fake = fakeIpset()
 * await fake.set('pods', { type: 'hash:ip', family: 'ipv4' }).replace(['10.0.0.5'])
 * export const dump = fake.dump()
 * ```
 *
 * @module
 */

export { type FakeIpset, fakeIpset } from './fake-ipset.ts'
