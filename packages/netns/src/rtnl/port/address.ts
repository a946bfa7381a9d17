import type { IpFamily } from '@cni/types/ip'
import type { OnLink } from './on-link.ts'

/** An address of a link. As read it may be passed to `addAddress` and `deleteAddress`. */
export interface Address {
  readonly family: IpFamily
  readonly address: string
  readonly prefixLength: number
  /** `address/prefixLength`. */
  readonly cidr: string
  readonly linkIndex: number
  /** Scope of the address. */
  readonly scope: 'universe' | 'site' | 'link' | 'host' | number
  /** The other end of a point-to-point link: the prefix is that of its network. */
  readonly peer?: string
  readonly broadcast?: string
  /** Of IPv4; by default the link's name. */
  readonly label?: string
  /** The metric of the route to its network. */
  readonly metric?: number
  /** The kernel has made no route to its network. */
  readonly noPrefixRoute?: boolean
  /** How long it lives, in seconds; missing: for ever. */
  readonly validSeconds?: number
  /** How long it is used for new connections, in seconds; missing: for ever. */
  readonly preferredSeconds?: number
  /** Of IPv6: used at once, without asking whether somebody else has it. */
  readonly noDad?: boolean
  /** IPv6 duplicate detection still runs. */
  readonly tentative: boolean
  /** IPv6 duplicate detection failed: the address does not work. */
  readonly duplicate: boolean
}

/** An address to add or delete. */
export interface NewAddress extends OnLink {
  /** With its prefix length: `10.0.0.1/24`. */
  readonly cidr: string
  /** Default: `host` for loopback addresses, else `universe`. */
  readonly scope?: Address['scope'] | undefined
  readonly peer?: string | undefined
  readonly broadcast?: string | undefined
  readonly label?: string | undefined
  readonly metric?: number | undefined
  readonly noPrefixRoute?: boolean | undefined
  readonly validSeconds?: number | undefined
  readonly preferredSeconds?: number | undefined
  /** Of IPv6: use it at once, without asking whether somebody else has it. */
  readonly noDad?: boolean | undefined
}
