/**
 * Connections that the kernel tracks (conntrack): functions to list, delete and watch them. The package starts no
 * `conntrack` program.
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
