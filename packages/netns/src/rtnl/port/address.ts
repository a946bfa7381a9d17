import type { IpFamily } from '@cni/types/ip'
import type { OnLink } from './on-link.ts'

/** IP address of a link. An `Address` from `getAddresses` can be passed to `addAddress` and `deleteAddress`. */
export interface Address {
  readonly family: IpFamily
  readonly address: string
  readonly prefixLength: number
  /** IP address with its prefix length: `10.0.0.1/24`. */
  readonly cidr: string
  readonly linkIndex: number
  /** Scope of the IP address in the kernel, such as `universe`, `link` or `host`. */
  readonly scope: 'universe' | 'site' | 'link' | 'host' | number
  /** IP address of the other end of a point-to-point link. The prefix length describes the peer's network. */
  readonly peer?: string
  readonly broadcast?: string
  /** Label of an IPv4 address. The default is the link's name. */
  readonly label?: string
  /** Metric of the route to the address's network. The kernel adds this route together with the address. */
  readonly metric?: number
  /** True if the kernel added the address without a route to its network. */
  readonly noPrefixRoute?: boolean
  /** Remaining lifetime of the address in seconds. `undefined` means forever. */
  readonly validSeconds?: number
  /** Seconds during which new connections may still use the address. `undefined` means forever. */
  readonly preferredSeconds?: number
  /** True if the kernel skipped IPv6 duplicate address detection, so that the address was usable at once. */
  readonly noDad?: boolean
  /** True while IPv6 duplicate address detection runs. */
  readonly tentative: boolean
  /** True if IPv6 duplicate address detection found a duplicate: the address does not work. */
  readonly duplicate: boolean
}

/** IP address to add to a link, or to delete from a link. */
export interface NewAddress extends OnLink {
  /** IP address with its prefix length: `10.0.0.1/24`. */
  readonly cidr: string
  /** Scope of the new IP address. Default: `host` for loopback addresses, otherwise `universe`. */
  readonly scope?: Address['scope'] | undefined
  readonly peer?: string | undefined
  readonly broadcast?: string | undefined
  readonly label?: string | undefined
  readonly metric?: number | undefined
  readonly noPrefixRoute?: boolean | undefined
  readonly validSeconds?: number | undefined
  readonly preferredSeconds?: number | undefined
  /** True to skip IPv6 duplicate address detection, so that the address is usable at once. */
  readonly noDad?: boolean | undefined
}
