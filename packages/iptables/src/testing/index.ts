/**
 * Test code that uses `@cni/iptables` without a kernel, on a simulated node.
 *
 * @example
 * ```ts
 * import { ruleset } from '@cni/iptables'
 * import { fakeIptables } from '@cni/iptables/testing'
 *
 * const rules = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('OUTPUT').jump('EX'), t.nat.on('EX').return()])
 * const fake = fakeIptables()
 * await fake.apply(rules)
 * fake.tamper('*nat\n-F EX\nCOMMIT\n') // someone tampers
 * export const drift = await fake.diff(rules)
 * ```
 *
 * @module
 */

export { type FakeIptables, fakeIptables } from './fake-iptables.ts'
export { type TraceMatchers, traceMatchers } from './trace-matchers.ts'
