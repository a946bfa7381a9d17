import type { IpFamily } from '@cni/types/ip'
import type { OnLink } from './on-link.ts'

/**
 * Route to add or delete: give `cidr` or `destination`. `cidr` may be `0.0.0.0/0`, and `destination` may be `default`.
 * A {@link Route} from `getRoutes` has both.
 */
export type NewRoute = (
  | {
      /** Destination of the route: a prefix, an address or `default`. For `default`, give the family or a gateway. */
      readonly destination: string
      readonly cidr?: string | undefined
    }
  | { readonly destination?: undefined; readonly cidr: string }
) &
  OnLink & {
    readonly family?: IpFamily | undefined
    readonly gateway?: string | undefined
    /** Preferred source address of packets that use the route. */
    readonly source?: string | undefined
    /** Routing table of the route. Default: the local table for type `local`, otherwise the main table. */
    readonly table?: number | undefined
    /** Type of the route. Default: `unicast`. */
    readonly type?: Route['type'] | undefined
    /**
     * Scope of the route. Default: `host` for type `local`, `link` without a gateway, otherwise `universe`. The kernel
     * ignores the scope of an IPv6 route.
     */
    readonly scope?: Route['scope'] | undefined
    readonly metric?: number | undefined
    /** Origin of the route: 2 kernel, 3 boot, 4 static. Default: 3. */
    readonly protocol?: number | undefined
    /** True to treat the route's gateway as directly connected, even if no address of the link covers it. */
    readonly onlink?: boolean | undefined
    /** MTU in bytes for packets that use the route. */
    readonly mtu?: number | undefined
    /** Maximum TCP segment size (MSS) to advertise to peers behind the route, in bytes. */
    readonly advMss?: number | undefined
    /** Several next hops of a multipath route, instead of `gateway` and `link`. */
    readonly nexthops?: Route['nexthops']
    /** Kernel attributes of the route that have no member of their own in `NewRoute`, as `getRoutes` returns them. */
    readonly other?: Route['other']
  }

/** Route as read from the kernel. */
export interface Route {
  readonly family: IpFamily
  /** Destination of the route: a prefix, or `default`. */
  readonly destination: string
  /** Destination of the route as a prefix: `0.0.0.0/0` or `::/0` for `default`. */
  readonly cidr: string
  readonly gateway?: string
  readonly linkIndex?: number
  readonly source?: string
  readonly table: number
  /** Type of the route: the kernel's action for packets that match it, such as `unicast` or `blackhole`. */
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
  /**
   * Scope of the route: the area in which its destination lies, such as `link` (this network) or `universe` (anywhere).
   */
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
    /**
     * Weight of a multipath route's next hop, from 1 to 256. The weight is the next hop's share of the traffic.
     * Default: 1.
     */
    readonly weight?: number | undefined
    readonly onlink?: boolean | undefined
  })[]
  /**
   * Kernel attributes of the route without a member of their own. `type` is the attribute's number in
   * `<linux/rtnetlink.h>`.
   */
  readonly other?: readonly (readonly [type: number, value: Uint8Array])[]
}
