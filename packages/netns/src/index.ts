/**
 * Opens, creates and enters Linux network namespaces, and configures their network.
 *
 * @example
 * ```ts
 * import { networkInterfaces } from 'node:os'
 * import { netns, openRtnl } from '@cni/netns'
 *
 * using pod = netns.open('/run/netns/cni-7f3a')
 * export const names = Object.keys(netns.run(pod, () => networkInterfaces()))
 *
 * export async function links() {
 *   using rtnl = await openRtnl(pod)
 *   return await rtnl.getLinks()
 * }
 * ```
 *
 * @module
 */

export { nssShield } from './enter/nss-shield.ts'
export { readFile } from './enter/read-file.ts'
export type { EnterOptions } from './enter/runner.ts'
export { start } from './enter/start.ts'
export { Netns, type NetnsTarget } from './handle/netns.ts'
export { isNetnsError, NetnsError } from './handle/netns-error.ts'
export { netns } from './netns.ts'
export { openRtnl } from './rtnl/open-rtnl.ts'
export type { Address, NewAddress } from './rtnl/port/address.ts'
export type { Filter } from './rtnl/port/filter.ts'
export type { Link, LinkRef, NewLink } from './rtnl/port/link.ts'
export type { Neighbour } from './rtnl/port/neighbour.ts'
export type { OnLink } from './rtnl/port/on-link.ts'
export type { Qdisc } from './rtnl/port/qdisc.ts'
export type { NewRoute, Route } from './rtnl/port/route.ts'
export type { Rtnl, RtnlPort } from './rtnl/port/rtnl.ts'
export type { NewPolicyRule, PolicyRule } from './rtnl/port/rule.ts'
export { isSameTbf, tbf } from './rtnl/qdisc/tbf.ts'
export type { SysctlPort } from './sysctl/port.ts'
export { sysctl } from './sysctl/sysctl.ts'
