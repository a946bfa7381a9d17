/**
 * `DEBUG=cni:*`: what each package does, on stderr, with times. Costs nothing unless the variable names
 * `cni:`: only then the package `debug` is loaded. Areas are `cni:host`, `cni:rtnl`, `cni:iptables`, `cni:nftables`,
 * `cni:ipset`, `cni:invoke`, `cni:libcni`, `cni:skel`, `cni:kube` and `cni:installer`; names are chosen as that package says
 * (`DEBUG=cni:*,-cni:host`).
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
