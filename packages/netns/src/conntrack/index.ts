/**
 * Functions to list, delete and watch the connections that the kernel tracks (conntrack). The functions use netlink,
 * not the program `conntrack`.
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
