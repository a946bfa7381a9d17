/**
 * What becomes of a packet: a ruleset or a saved one, walked without a kernel and without root.
 *
 * @example
 * ```ts
 * import { ruleset } from '@cni/iptables'
 * import { explain, trace } from '@cni/iptables/trace'
 *
 * const rules = ruleset({ nat: [] }, (t) => [t.nat.on('OUTPUT').not.uid(1337).proto('tcp').redirect(15001)])
 * export const text = explain(trace(rules, 'tcp 10.0.0.5:80 uid 1000'))
 * ```
 *
 * @module
 */

export type { ExplainOptions } from '@cni/types/packet'
export { explain } from './explain.ts'
export type { TraceOptions } from './options.ts'
export { type Trace, trace } from './trace.ts'
export type { Hook } from './traced-packet.ts'
export type { TraceStep } from './walk.ts'
