import type { NewPolicyRule, NewRoute } from '@cni/netns'
import type { TunnelKind } from '../names.ts'

/** A tunnel to the other end's namespace, up, with an address. */
export interface WantedTunnel {
  readonly name: string
  readonly kind: TunnelKind
  readonly id: number
  /** The other end's address outside of the tunnel. */
  readonly remote: string
  readonly port: number
  /** With its prefix length. */
  readonly cidr: string
}

/** A route of IPv4. */
export interface WantedRoute {
  readonly table: number
  /** A prefix: `10.0.0.7/32`, `0.0.0.0/0`. */
  readonly to: string
  readonly link: string
  readonly type?: 'local' | undefined
  readonly gateway?: string | undefined
  readonly source?: string | undefined
  /** Default: `universe`. */
  readonly scope?: 'link' | 'host' | undefined
  readonly onlink?: true | undefined
}

/** A setting of a namespace. */
export interface WantedSysctl {
  readonly name: string
  readonly value: string
}

/** What a namespace's network is to have, in the order in which it is brought in. */
export interface NetworkPlan {
  readonly sysctls: readonly WantedSysctl[]
  readonly tunnels: readonly WantedTunnel[]
  readonly routes: readonly WantedRoute[]
  /** Policy rules of IPv4. */
  readonly rules: readonly NewPolicyRule[]
}

/** A policy rule of IPv4 for packets with a mark; `mark`: its own mask. */
export const markRule = (
  priority: number,
  { mark, mask = mark }: { readonly mark: number; readonly mask?: number },
  then: Pick<NewPolicyRule, 'table' | 'goto'>,
): NewPolicyRule => ({ family: 'ipv4', priority, fwmark: mark, mask, ...then })

/** The settings of links by which strangers' addresses may come in. */
export const withoutReversePath = (links: readonly string[]): WantedSysctl[] =>
  links.map((link) => ({ name: `net/ipv4/conf/${link}/rp_filter`, value: '0' }))

/** The same for addresses of the node itself. */
export const acceptLocal = (links: readonly string[]): WantedSysctl[] =>
  links.map((link) => ({ name: `net/ipv4/conf/${link}/accept_local`, value: '1' }))

/** As rtnetlink takes it. */
export const newRoute = ({ to, scope, ...route }: WantedRoute): NewRoute => ({
  ...route,
  cidr: to,
  family: 'ipv4',
  scope: scope ?? 'universe',
})
