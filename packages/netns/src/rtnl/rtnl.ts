import type { IpFamily } from '@cni/types/ip'
import type { Address, AddressFilter, NewAddress } from './address/address.ts'
import type { BridgeVlan, BridgeVlanFilter, NewBridgeVlan } from './bridge-vlan/bridge-vlan.ts'
import type { Filter, FilterFilter, NewFilter, OldFilter } from './filter/filter.ts'
import type { Link, LinkChange, LinkRef, NewLink, OldLink } from './link/link.ts'
import type { Neighbour, NeighbourFilter, NewNeighbour } from './neighbour/neighbour.ts'
import type { NewQdisc, NewRedirect, OldQdisc, Qdisc, QdiscFilter, Redirect } from './qdisc/qdisc.ts'
import type { NewRoute, Route, RouteFilter } from './route/route.ts'
import type { NewPolicyRule, PolicyRule, RuleFilter } from './rule/rule.ts'

/**
 * Links, addresses, routes, rules, neighbours, qdiscs and filters of one namespace. Code that configures them takes this port, so
 * that its tests can give it `fakeRtnl()`. Adding what is there, and deleting what is not, is no error and says so; adding what is there but
 * different is `EEXIST`. What was read (`Link`, `Address`, `Route`, `PolicyRule`) can be added and deleted as it is.
 * Errors are `NetnsError` with the errno name (`ENODEV`, `EPERM` …) and the kernel's own explanation, or `INVALID` for
 * what cannot be said to the kernel; nothing is half made then.
 */
export interface RtnlPort {
  getLinks(): Promise<Link[]>
  /** `undefined` when there is no such link. */
  getLink(link: LinkRef): Promise<Link | undefined>
  /** A link as read is made again. */
  addLink(link: OldLink): Promise<{ added: boolean }>
  addLink(link: NewLink): Promise<{ added: boolean }>
  /** Changes what is said and not so yet. `before`: the link as it was. A change that fails half-way is taken back. */
  setLink(link: LinkRef, change: LinkChange): Promise<{ changed: boolean; before: Link }>
  deleteLink(link: LinkRef): Promise<{ deleted: boolean }>
  setLinkUp(link: LinkRef): Promise<void>
  setLinkDown(link: LinkRef): Promise<void>
  getAddresses(filter?: AddressFilter): Promise<Address[]>
  addAddress(link: LinkRef, cidr: string): Promise<{ added: boolean }>
  addAddress(address: NewAddress): Promise<{ added: boolean }>
  deleteAddress(link: LinkRef, cidr: string): Promise<{ deleted: boolean }>
  deleteAddress(address: NewAddress): Promise<{ deleted: boolean }>
  getRoutes(filter?: RouteFilter): Promise<Route[]>
  addRoute(route: NewRoute): Promise<{ added: boolean }>
  /** Instead of the route to the same destination with the same metric. */
  replaceRoute(route: NewRoute): Promise<void>
  /** What is not said about the route matches anything; one is deleted. */
  deleteRoute(route: NewRoute): Promise<{ deleted: boolean }>
  getNeighbours(filter?: NeighbourFilter): Promise<Neighbour[]>
  addNeighbour(neighbour: NewNeighbour): Promise<{ added: boolean }>
  /** Instead of the entry for the same address. */
  replaceNeighbour(neighbour: NewNeighbour): Promise<void>
  deleteNeighbour(neighbour: NewNeighbour): Promise<{ deleted: boolean }>
  /** Of the ports of bridges, and of bridges. */
  getBridgeVlans(filter?: BridgeVlanFilter): Promise<BridgeVlan[]>
  addBridgeVlan(vlan: NewBridgeVlan): Promise<{ added: boolean }>
  deleteBridgeVlan(vlan: NewBridgeVlan): Promise<{ deleted: boolean }>
  getQdiscs(filter?: QdiscFilter): Promise<Qdisc[]>
  addQdisc(qdisc: NewQdisc | Qdisc): Promise<{ added: boolean }>
  /** Instead of the one that is there; of the same kind, its options are changed. */
  replaceQdisc(qdisc: NewQdisc | Qdisc): Promise<void>
  deleteQdisc(qdisc: OldQdisc): Promise<{ deleted: boolean }>
  /** What comes in on a link and leaves by another one instead. */
  getRedirects(filter?: QdiscFilter): Promise<Redirect[]>
  addRedirect(redirect: NewRedirect): Promise<{ added: boolean }>
  deleteRedirect(redirect: NewRedirect): Promise<{ deleted: boolean }>
  /** Of qdiscs `clsact` and `ingress`, whoever added them. */
  getFilters(filter?: FilterFilter): Promise<Filter[]>
  addFilter(filter: NewFilter): Promise<{ added: boolean }>
  /** Instead of the one with the same priority and handle, between two packets. An undo step brings none back. */
  replaceFilter(filter: NewFilter): Promise<void>
  /** No undo step brings it back: nothing would hold its program. */
  deleteFilter(filter: OldFilter): Promise<{ deleted: boolean }>
  getRules(filter?: RuleFilter | IpFamily): Promise<PolicyRule[]>
  addRule(rule: NewPolicyRule): Promise<{ added: boolean }>
  /** Deletes exactly that rule, of any priority when none is given. */
  deleteRule(rule: NewPolicyRule): Promise<{ deleted: boolean }>
}

/** An {@link RtnlPort} with what it holds open. */
export interface Rtnl extends RtnlPort, Disposable {
  /** A second call does nothing. */
  close(): void
}

/**
 * An {@link Rtnl} of the node with a call's `undo`: for what belongs to the pod of the call, such as the node's end of its
 * veth. A bridge, which all pods share, is made with `openRtnl('host')`: it takes nothing back.
 */
export interface NodeRtnl extends Omit<Rtnl, 'addLink'> {
  addLink(link: OldLink): Promise<{ added: boolean }>
  addLink(link: Exclude<NewLink, { readonly kind: 'bridge' }>): Promise<{ added: boolean }>
}

/** `(link, cidr)` or an address as one object. */
export function addressOf(first: LinkRef | NewAddress, cidr: string | undefined): NewAddress {
  if (typeof first === 'object' && 'cidr' in first) return first
  return { link: first, cidr: cidr ?? '' }
}
