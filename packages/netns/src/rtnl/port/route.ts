import type { IpFamily } from '@cni/types/ip'
import type { OnLink } from './on-link.ts'

/**
 * Route to add or delete. Give the destination as `cidr`, which may be `0.0.0.0/0`, or as `destination`, which may be
 * `default`. A {@link Route} as read has both.
 */
export type NewRoute = (
  | {
      /** Prefix, address or `default`. For `default`, give the family or a gateway. */
      readonly destination: string
      readonly cidr?: string | undefined
    }
  | { readonly destination?: undefined; readonly cidr: string }
) &
  OnLink & {
    readonly family?: IpFamily | undefined
    readonly gateway?: string | undefined
    /** Preferred source address. */
    readonly source?: string | undefined
    /** Routing table. Default: the local table for type `local`, otherwise the main table. */
    readonly table?: number | undefined
    /** Default: `unicast`. */
    readonly type?: Route['type'] | undefined
    /**
     * Scope of the route. Default: `host` for type `local`, `link` without a gateway, otherwise `universe`. The kernel
     * ignores the scope of an IPv6 route.
     */
    readonly scope?: Route['scope'] | undefined
    readonly metric?: number | undefined
    /** Origin of the route: 2 kernel, 3 boot, 4 static. Default: 3. */
    readonly protocol?: number | undefined
    /** Treats the gateway as directly connected, even if no address of the link covers it. */
    readonly onlink?: boolean | undefined
    /** MTU in bytes for packets that use the route. */
    readonly mtu?: number | undefined
    /** Maximum segment size to advertise to the peer, in bytes. */
    readonly advMss?: number | undefined
    /** Several next hops, instead of `gateway` and `link`. */
    readonly nexthops?: Route['nexthops']
    /** Kernel attributes that this type does not name, as `getRoutes` returns them. */
    readonly other?: Route['other']
  }

/** Route as read from the kernel. */
export interface Route {
  readonly family: IpFamily
  /** Destination: a prefix, or `default`. */
  readonly destination: string
  /** Destination as a prefix: `0.0.0.0/0` or `::/0` for `default`. */
  readonly cidr: string
  readonly gateway?: string
  readonly linkIndex?: number
  readonly source?: string
  readonly table: number
  /** Action for packets that match the route. */
  readonly type:
    | 'unspec'
    | 'unicast'
    | 'local'
    | 'broadcast'
    | 'anycast'
    | 'multicast'
    | 'blackhole'
    | 'unreachable'
    | 'prohibit'
    | 'throw'
    | 'nat'
    | number
  /** Distance to the destination. */
  readonly scope: 'universe' | 'site' | 'link' | 'host' | 'nowhere' | number
  readonly metric?: number
  /** Origin of the route: 2 kernel, 3 boot, 4 static. */
  readonly protocol: number
  readonly onlink?: boolean
  readonly mtu?: number
  readonly advMss?: number
  /** Next hops of a multipath route. */
  readonly nexthops?: readonly (OnLink & {
    readonly gateway?: string | undefined
    /** Share of the traffic relative to the other next hops, from 1 to 256. Default: 1. */
    readonly weight?: number | undefined
    readonly onlink?: boolean | undefined
  })[]
  /** Kernel attributes that this type does not name, by their number in `<linux/rtnetlink.h>`. */
  readonly other?: readonly (readonly [type: number, value: Uint8Array])[]
}
