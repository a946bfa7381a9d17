/**
 * What becomes of a packet: a ruleset of nftables, walked without a kernel and without root.
 *
 * @example
 * ```ts
 * import { base, nftRuleset } from '@cni/nftables'
 * import { explain, trace } from '@cni/nftables/trace'
 *
 * const rules = nftRuleset('inet', { ex: { output: base('nat', 'output', -100) } }, (t) => [
 *   t.ex.on('output').skuid(1337).return(),
 *   t.ex.on('output').l4proto('tcp').redirect(15001),
 * ])
 * export const text = explain(trace(rules, 'tcp 10.0.0.5:80 uid 1000'))
 * ```
 *
 * @module
 */

export type { ExplainOptions } from '@cni/types/packet'
export { parseListing } from '../parse/parse-listing.ts'
export type { Hook } from '../wire/family.ts'
export { explain } from './explain.ts'
export type { TraceOptions } from './options.ts'
export { type Trace, trace } from './trace.ts'
export type { TraceStep } from './walk.ts'
