import type { NewPolicyRule, NewRoute } from '@cni/netns'
import type { TunnelKind } from '../names.ts'

/** Wanted tunnel link (geneve or vxlan) to another network namespace. It must be up and have an address. */
export interface WantedTunnel {
  readonly name: string
  readonly kind: TunnelKind
  readonly id: number
  /** Remote address of the tunnel: the outer IP address to which encapsulated packets are sent. */
  readonly remote: string
  readonly port: number
  /** IPv4 address of the tunnel link itself, with prefix length. */
  readonly cidr: string
}

/** Wanted IPv4 route of a network namespace. */
export interface WantedRoute {
  readonly table: number
  /** Destination prefix of the route, such as `10.0.0.7/32` or `0.0.0.0/0`. */
  readonly to: string
  readonly link: string
  readonly type?: 'local' | undefined
  readonly gateway?: string | undefined
  readonly source?: string | undefined
  /** Scope of the wanted route. Default: `universe`. */
  readonly scope?: 'link' | 'host' | undefined
  readonly onlink?: true | undefined
}

/** Wanted value of a sysctl in a network namespace. */
export interface WantedSysctl {
  readonly name: string
  readonly value: string
}

/** Wanted sysctls, tunnels, routes and policy rules of a network namespace. */
export interface NetworkPlan {
  readonly sysctls: readonly WantedSysctl[]
  readonly tunnels: readonly WantedTunnel[]
  readonly routes: readonly WantedRoute[]
  /** IPv4 policy rules (`ip rule`) of the network namespace. */
  readonly rules: readonly NewPolicyRule[]
}

/** Builds an IPv4 policy rule for packets with a mark. Default mask: the mark itself. */
export const markRule = (
  priority: number,
  { mark, mask = mark }: { readonly mark: number; readonly mask?: number },
  then: Pick<NewPolicyRule, 'table' | 'goto'>,
): NewPolicyRule => ({ family: 'ipv4', priority, fwmark: mark, mask, ...then })

/** Returns the sysctls (`rp_filter`) by which links accept packets with any source address. */
export const withoutReversePath = (links: readonly string[]): WantedSysctl[] =>
  links.map((link) => ({ name: `net/ipv4/conf/${link}/rp_filter`, value: '0' }))

/** Returns the sysctls (`accept_local`) by which links accept packets from the node's own addresses. */
export const acceptLocal = (links: readonly string[]): WantedSysctl[] =>
  links.map((link) => ({ name: `net/ipv4/conf/${link}/accept_local`, value: '1' }))

/** Converts a planned route to the format of the rtnetlink package. */
export const newRoute = ({ to, scope, ...route }: WantedRoute): NewRoute => ({
  ...route,
  cidr: to,
  family: 'ipv4',
  scope: scope ?? 'universe',
})
