import type { NewPolicyRule, NewRoute } from '@cni/netns'
import type { TunnelKind } from '../names.ts'

/** Tunnel to another namespace. It is up and has an address. */
export interface WantedTunnel {
  readonly name: string
  readonly kind: TunnelKind
  readonly id: number
  /** Address of the tunnel's other end in the network outside of the tunnel. */
  readonly remote: string
  readonly port: number
  /** Address of the tunnel's own end, with prefix length. */
  readonly cidr: string
}

/** IPv4 route. */
export interface WantedRoute {
  readonly table: number
  /** Destination prefix, such as `10.0.0.7/32` or `0.0.0.0/0`. */
  readonly to: string
  readonly link: string
  readonly type?: 'local' | undefined
  readonly gateway?: string | undefined
  readonly source?: string | undefined
  /** Scope of the route. Default: `universe`. */
  readonly scope?: 'link' | 'host' | undefined
  readonly onlink?: true | undefined
}

/** Sysctl of a namespace. */
export interface WantedSysctl {
  readonly name: string
  readonly value: string
}

/** Network settings of a namespace, in the order in which they are applied. */
export interface NetworkPlan {
  readonly sysctls: readonly WantedSysctl[]
  readonly tunnels: readonly WantedTunnel[]
  readonly routes: readonly WantedRoute[]
  /** IPv4 policy rules. */
  readonly rules: readonly NewPolicyRule[]
}

/** IPv4 policy rule for packets with a mark. Default mask: the mark itself. */
export const markRule = (
  priority: number,
  { mark, mask = mark }: { readonly mark: number; readonly mask?: number },
  then: Pick<NewPolicyRule, 'table' | 'goto'>,
): NewPolicyRule => ({ family: 'ipv4', priority, fwmark: mark, mask, ...then })

/** Settings that turn reverse path filtering off, so that links accept packets with any source address. */
export const withoutReversePath = (links: readonly string[]): WantedSysctl[] =>
  links.map((link) => ({ name: `net/ipv4/conf/${link}/rp_filter`, value: '0' }))

/** Settings by which links accept packets with the node's own addresses as source. */
export const acceptLocal = (links: readonly string[]): WantedSysctl[] =>
  links.map((link) => ({ name: `net/ipv4/conf/${link}/accept_local`, value: '1' }))

/** Converts a route for rtnetlink. */
export const newRoute = ({ to, scope, ...route }: WantedRoute): NewRoute => ({
  ...route,
  cidr: to,
  family: 'ipv4',
  scope: scope ?? 'universe',
})
