import type { IpFamily } from '@cni/types/ip'
import type { LinkRef } from '../link/link.ts'
import type { OnLink } from '../link/on-link.ts'
import type { scopeNumbers, types } from './wire.ts'

/** What happens to a packet that takes the route. */
export type RouteType = (typeof types)[number]
/** How far away the destination is. */
export type RouteScope = keyof typeof scopeNumbers

/** One of the ways of a route that has several. */
export interface Nexthop extends OnLink {
  readonly gateway?: string | undefined
  /** How often it is taken compared with the others, from 1 to 256. Default: 1. */
  readonly weight?: number | undefined
  readonly onlink?: boolean | undefined
}

/** Where a route leads: `cidr`, which may be `0.0.0.0/0`, or `destination`, which may be `default`; as read it has both. */
export type RouteDestination =
  | {
      /** A prefix, an address, or `default` (then say the family, or a gateway). */
      readonly destination: string
      readonly cidr?: string | undefined
    }
  | { readonly destination?: undefined; readonly cidr: string }

/** A route to add or delete. A {@link Route} as read is one. */
export type NewRoute = RouteDestination &
  OnLink & {
    readonly family?: IpFamily | undefined
    readonly gateway?: string | undefined
    /** Preferred source address. */
    readonly source?: string | undefined
    /** Default: the main table; the local one for type `local`. */
    readonly table?: number | undefined
    /** Default: `unicast`. */
    readonly type?: RouteType | number | undefined
    /** Default: `host` for type `local`, `link` without a gateway, else `universe`. The kernel ignores it for IPv6. */
    readonly scope?: RouteScope | number | undefined
    readonly metric?: number | undefined
    /** Who made it: 2 kernel, 3 boot, 4 static. Default: 3. */
    readonly protocol?: number | undefined
    /** The gateway is on the link, whatever its addresses say. */
    readonly onlink?: boolean | undefined
    /** Bytes, of packets that take the route. */
    readonly mtu?: number | undefined
    /** The largest segment to offer to the other end, in bytes. */
    readonly advMss?: number | undefined
    /** Several ways, instead of `gateway` and `link`. */
    readonly nexthops?: readonly Nexthop[] | undefined
    /** Attributes of the kernel that have no name here, as read. */
    readonly other?: readonly RouteAttribute[] | undefined
  }

/** An attribute by its number in `<linux/rtnetlink.h>`. */
export type RouteAttribute = readonly [type: number, value: Uint8Array]

/** A route of the kernel. */
export interface Route {
  readonly family: IpFamily
  /** A prefix, or `default`. */
  readonly destination: string
  /** The same as a prefix, `0.0.0.0/0` and `::/0` included. */
  readonly cidr: string
  readonly gateway?: string
  readonly linkIndex?: number
  readonly source?: string
  readonly table: number
  readonly type: RouteType | number
  readonly scope: RouteScope | number
  readonly metric?: number
  /** Who made it: 2 kernel, 3 boot, 4 static. */
  readonly protocol: number
  readonly onlink?: boolean
  readonly mtu?: number
  readonly advMss?: number
  readonly nexthops?: readonly Nexthop[]
  /** Attributes of the kernel that have no name here. */
  readonly other?: readonly RouteAttribute[]
}

/** Which routes to list. */
export interface RouteFilter {
  readonly family?: IpFamily
  readonly table?: number
  readonly link?: LinkRef
}
