/**
 * Prints the steps of each package on stderr if `DEBUG=cni:*` is set. Each package has an area: `cni:host`, `cni:rtnl`,
 * `cni:iptables`, `cni:nftables`, `cni:ipset`, `cni:invoke`, `cni:libcni`, `cni:skel`, `cni:kube` and `cni:installer`.
 * `DEBUG=cni:*,-cni:host` excludes an area.
 *
 * @example
 * ```ts
 * import { debugFor } from '@cni/host/debug'
 *
 * const debug = debugFor('mine')
 * export function attach(name: string) {
 *   debug?.('attach', { name })
 * }
 * ```
 *
 * @module
 */

export { debugFor } from './debug-for.ts'
