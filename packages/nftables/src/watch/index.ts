/**
 * Live events of nf_tables: drift of a ruleset, changes of any program, and traces of real packets.
 *
 * @example
 * ```ts
 * import type { Ruleset } from '@cni/nftables/rules'
 * import { watch } from '@cni/nftables/watch'
 * import type { Netns } from '@cni/netns'
 *
 * export async function firstDrift(pod: Netns, rules: Ruleset, signal: AbortSignal) {
 *   for await (const event of watch(pod, rules, { signal })) if (event.state === 'drift') return event.drift
 *   return undefined
 * }
 * ```
 *
 * @module
 */

export { monitor } from './monitor.ts'
export { tracePackets } from './trace-packets.ts'
export { watch } from './watch.ts'
