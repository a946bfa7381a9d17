import type { IpFamily } from '@cni/types/ip'
import type { OnLink } from './on-link.ts'

/**
 * A route to add or delete. It leads to `cidr`, which may be `0.0.0.0/0`, or to `destination`, which may be `default`. A
 * {@link Route} as read has both.
 */
export type NewRoute = (
  | {
      /** A prefix, an address, or `default` (then say the family, or a gateway). */
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
    /** Default: the main table; the local one for type `local`. */
    readonly table?: number | undefined
    /** Default: `unicast`. */
    readonly type?: Route['type'] | undefined
    /** Default: `host` for type `local`, `link` without a gateway, else `universe`. The kernel ignores it for IPv6. */
    readonly scope?: Route['scope'] | undefined
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
    readonly nexthops?: Route['nexthops']
    /** Attributes of the kernel that have no name here, as read. */
    readonly other?: Route['other']
  }

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
  /** What happens to a packet that takes the route. */
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
  /** How far away the destination is. */
  readonly scope: 'universe' | 'site' | 'link' | 'host' | 'nowhere' | number
  readonly metric?: number
  /** Who made it: 2 kernel, 3 boot, 4 static. */
  readonly protocol: number
  readonly onlink?: boolean
  readonly mtu?: number
  readonly advMss?: number
  /** The ways of a route that has several. */
  readonly nexthops?: readonly (OnLink & {
    readonly gateway?: string | undefined
    /** How often it is taken compared with the others, from 1 to 256. Default: 1. */
    readonly weight?: number | undefined
    readonly onlink?: boolean | undefined
  })[]
  /** Attributes that have no name here, by their number in `<linux/rtnetlink.h>`. */
  readonly other?: readonly (readonly [type: number, value: Uint8Array])[]
}
