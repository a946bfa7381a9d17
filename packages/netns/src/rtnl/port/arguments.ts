import type { Link, NewLink } from './link.ts'
import type { Qdisc } from './qdisc.ts'
import type { Route } from './route.ts'
import type { RtnlPort } from './rtnl.ts'

/** Type of the first argument of a method of {@link RtnlPort}. */
type Argument<Name extends keyof RtnlPort> = NonNullable<Parameters<RtnlPort[Name]>[0]>

export type AddressFilter = Argument<'getAddresses'>
export type RouteFilter = Argument<'getRoutes'>
export type RuleFilter = Exclude<Argument<'getRules'>, string>
export type NeighbourFilter = Argument<'getNeighbours'>
export type BridgeVlan = Awaited<ReturnType<RtnlPort['getBridgeVlans']>>[number]
export type BridgeVlanFilter = Argument<'getBridgeVlans'>
export type QdiscFilter = Argument<'getQdiscs'>
export type FilterFilter = Argument<'getFilters'>
export type NewNeighbour = Argument<'addNeighbour'>
export type NewBridgeVlan = Argument<'addBridgeVlan'>
export type NewRedirect = Argument<'addRedirect'>
export type NewFilter = Argument<'addFilter'>
export type OldFilter = Argument<'deleteFilter'>
export type FilterPosition = Pick<OldFilter, 'direction' | 'priority' | 'handle'>
export type OldQdisc = Argument<'deleteQdisc'>
export type Redirect = Awaited<ReturnType<RtnlPort['getRedirects']>>[number]
export type Nexthop = NonNullable<Route['nexthops']>[number]
export type RouteAttribute = NonNullable<Route['other']>[number]
export type TbfOptions = NonNullable<Qdisc['tbf']>
export type BridgeOptions = NonNullable<Link['bridge']>
export type BridgePort = NonNullable<Link['bridgePort']>
export type VlanOptions = NonNullable<Link['vlan']>
export type MacvlanOptions = NonNullable<Link['macvlan']>
export type IpvlanOptions = NonNullable<Link['ipvlan']>
export type VxlanOptions = NonNullable<Link['vxlan']>
export type GeneveOptions = NonNullable<Link['geneve']>
export type VethPeer = Extract<NewLink, { readonly kind: 'veth' }>['peer']
export type LinkChange = Parameters<RtnlPort['setLink']>[1]
export type TunnelChange = NonNullable<LinkChange['vxlan']>
export type OldLink = Link & { readonly peer?: VethPeer | undefined; readonly netns?: NewLink['netns'] }
