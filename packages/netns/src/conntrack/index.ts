/**
 * The connections that the kernel tracks (conntrack): list them, delete them, watch them. No program is run.
 *
 * @example
 * ```ts
 * import { conntrack } from '@cni/netns/conntrack'
 *
 * export async function forgetDns() {
 *   return await conntrack('host').delete({ protocol: 'udp', original: { dst: '192.0.2.1', dport: 53 } })
 * }
 * ```
 *
 * @module
 */

export { conntrack } from './conntrack.ts'
export type { ConntrackEntry, ConntrackPort } from './entry.ts'
