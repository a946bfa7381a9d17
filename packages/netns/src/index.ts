/**
 * Linux network namespaces: open, compare, create, enter, run programs in, configure.
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

export type { IpFamily } from '@cni/types/ip'
export type { NotPromise } from './enter/not-promise.ts'
export { nssShield } from './enter/nss-shield.ts'
export { readFile } from './enter/read-file.ts'
export { type EnterOptions, run } from './enter/runner.ts'
export type { ShieldBind } from './enter/shield.ts'
export { exec, type StartOptions, start } from './enter/start.ts'
export { hasOwnUsers } from './enter/user-namespace.ts'
export { warmPool } from './enter/warm-pool.ts'
export { isSame, Netns, type NetnsTarget } from './handle/netns.ts'
export { isNetnsError, NetnsError, type NetnsErrorCode } from './handle/netns-error.ts'
export { current, open } from './handle/open.ts'
export type { CreateOptions } from './named/create.ts'
export { netns } from './netns.ts'
export type { Address, AddressFilter, AddressScope, NewAddress } from './rtnl/address/address.ts'
export type { BridgeVlan, BridgeVlanFilter, NewBridgeVlan } from './rtnl/bridge-vlan/bridge-vlan.ts'
export type {
  Filter,
  FilterDirection,
  FilterFilter,
  FilterPlace,
  FilterProgram,
  NewFilter,
  OldFilter,
} from './rtnl/filter/filter.ts'
export type { Link, LinkChange, LinkRef, NewLink, NewLinkCommon, OldLink, VethPeer } from './rtnl/link/link.ts'
export type { OnLink } from './rtnl/link/on-link.ts'
export type {
  BridgeOptions,
  BridgePort,
  GeneveOptions,
  IpvlanOptions,
  MacvlanMode,
  MacvlanOptions,
  TunnelChange,
  VlanOptions,
  VxlanOptions,
} from './rtnl/link/options.ts'
export type {
  Neighbour,
  NeighbourFilter,
  NeighbourState,
  NewNeighbour,
} from './rtnl/neighbour/neighbour.ts'
export { openRtnl } from './rtnl/open-rtnl.ts'
export type { NewQdisc, NewRedirect, OldQdisc, Qdisc, QdiscFilter, Redirect, TbfOptions } from './rtnl/qdisc/qdisc.ts'
export { isSameTbf, type TbfLimit, tbf } from './rtnl/qdisc/tbf.ts'
export type {
  NewRoute,
  Nexthop,
  Route,
  RouteAttribute,
  RouteDestination,
  RouteFilter,
  RouteScope,
  RouteType,
} from './rtnl/route/route.ts'
export type { NodeRtnl, Rtnl, RtnlPort } from './rtnl/rtnl.ts'
export type { NewPolicyRule, PolicyRule, RuleFilter } from './rtnl/rule/rule.ts'
export type { SysctlChange, SysctlPort } from './sysctl/port.ts'
export { sysctl } from './sysctl/sysctl.ts'
export type { SysctlValue } from './sysctl/value.ts'
