import type { Netns } from '../../handle/netns.ts'

/** Network interface. A `Link` from `getLink` can be passed to `addLink`, which creates the interface again. */
export interface Link {
  readonly index: number
  readonly name: string
  /** Kind of the link: `veth`, `bridge`, `dummy` … Missing for `lo` and hardware. */
  readonly kind?: string
  readonly mac?: string
  readonly mtu: number
  /** Length of the link's transmit queue, in packets. */
  readonly txqlen: number
  /** True if the link is administratively up. */
  readonly up: boolean
  /** True if the link is up and has a carrier. */
  readonly running: boolean
  readonly loopback: boolean
  /** True in promiscuous mode: the link accepts frames for other MAC addresses. */
  readonly promisc: boolean
  /** True if the link accepts all multicast frames. */
  readonly allmulti: boolean
  readonly alias?: string
  /** Index of the bridge or bond that the link is a port of. */
  readonly master?: number
  /** Index of the parent link in the parent's namespace. For a veth, the parent is its peer. */
  readonly parent?: number
  /**
   * Namespace of the parent link, as a number (netnsid). The number is valid in the link's own namespace. Missing if
   * both links are in one namespace.
   */
  readonly parentNetns?: number
  /** Options of a link of kind `bridge`. */
  readonly bridge?: {
    /** True if the bridge filters frames by VLAN. */
    readonly vlanFiltering?: boolean | undefined
    /**
     * VLAN to which the bridge assigns untagged frames from a new port. The value 0 means no VLAN. Kernel default: 1.
     */
    readonly vlanDefaultPvid?: number | undefined
    /** Seconds until the bridge forgets a learned MAC address. */
    readonly ageingSeconds?: number | undefined
    /** True if the bridge runs the spanning tree protocol in the kernel. */
    readonly stp?: boolean | undefined
    readonly forwardDelaySeconds?: number | undefined
    readonly helloSeconds?: number | undefined
    readonly maxAgeSeconds?: number | undefined
    /** Spanning tree priority of the bridge: the bridge with the lowest value becomes root. */
    readonly priority?: number | undefined
    readonly multicastSnooping?: boolean | undefined
    /** Mask of the link-local group addresses whose frames the bridge forwards. */
    readonly groupForwardMask?: number | undefined
  }
  /** Options of a link of kind `vlan`. */
  readonly vlan?: {
    /** VLAN identifier, 0 to 4094. */
    readonly id: number
    /** Protocol of the VLAN tag. Default: `802.1q`. */
    readonly protocol?: '802.1q' | '802.1ad' | undefined
  }
  /** Options of a macvlan: a link with a MAC address of its own on a parent link. */
  readonly macvlan?: {
    /** Mode of the macvlan. Kernel default: `vepa`. Default of the CNI plugin `macvlan`: `bridge`. */
    readonly mode?: 'private' | 'vepa' | 'bridge' | 'passthru' | 'source' | undefined
  }
  /** Options of an ipvlan: a link that shares the MAC address of its parent link. */
  readonly ipvlan?: {
    /** Mode of the ipvlan. Kernel default: `l3`. Default of the CNI plugin `ipvlan`: `l2`. */
    readonly mode?: 'l2' | 'l3' | 'l3s' | undefined
    /** Isolation between the ipvlans of one parent. Default: `bridge`, without isolation. */
    readonly isolation?: 'bridge' | 'private' | 'vepa' | undefined
  }
  /** Options of a link of kind `vxlan`. */
  readonly vxlan?: {
    /** VXLAN network identifier (VNI), 24 bits. */
    readonly id: number
    /** IP address of the VXLAN tunnel's other end, or a multicast group. */
    readonly remote?: string | undefined
    readonly local?: string | undefined
    /** UDP port of the VXLAN tunnel. Kernel default: 8472; the IANA port is 4789. */
    readonly port?: number | undefined
    readonly learning?: boolean | undefined
    readonly ageingSeconds?: number | undefined
    /** TTL of the VXLAN tunnel's outer packets; 0 copies the TTL of the inner packet. */
    readonly ttl?: number | undefined
    readonly udpChecksum?: boolean | undefined
  }
  /** Options of a link of kind `geneve`, a tunnel. */
  readonly geneve?: {
    /** GENEVE network identifier (VNI), 24 bits. */
    readonly id: number
    readonly remote: string
    /** UDP port of the GENEVE tunnel. Kernel default: 6081. */
    readonly port?: number | undefined
    /** TTL of the GENEVE tunnel's outer packets; 0 copies the TTL of the inner packet. */
    readonly ttl?: number | undefined
    readonly udpChecksum?: boolean | undefined
  }
  /** Options that the link has as a port of a bridge. The bridge is the link's `master`. */
  readonly bridgePort?: {
    /** Hairpin mode of the bridge port: frames may leave through the port on which they arrived. */
    readonly hairpin?: boolean | undefined
    /** Blocks frames between this bridge port and other isolated ports of the bridge. */
    readonly isolated?: boolean | undefined
    readonly learning?: boolean | undefined
    /** Sends frames for unknown unicast addresses out of this bridge port. */
    readonly flood?: boolean | undefined
    readonly multicastFlood?: boolean | undefined
    readonly broadcastFlood?: boolean | undefined
    /** Drops spanning tree messages (BPDU) that arrive on this bridge port. */
    readonly guard?: boolean | undefined
    readonly neighSuppress?: boolean | undefined
    readonly proxyArp?: boolean | undefined
    readonly cost?: number | undefined
    readonly priority?: number | undefined
  }
}

/** Reference to a link: its name, its index, or a `Link` object. A `Link` object counts only by its index. */
export type LinkRef = string | number | Pick<Link, 'index' | 'name'>

/** Link (network interface) to create. */
export type NewLink = {
  readonly name: string
  /** MTU of the new link in bytes. Default: the parent's MTU, or the kernel's default of 1500. */
  readonly mtu?: number | undefined
  /** MAC address of the new link, such as `02:00:00:ab:00:01`. Default: random, or the parent's address. */
  readonly mac?: string | undefined
  /** Length of the new link's transmit queue, in packets. */
  readonly txqlen?: number | undefined
  /** True to set the new link up. Default: false. */
  readonly up?: boolean | undefined
  /** Bridge or bond that gets the new link as a port. */
  readonly master?: LinkRef | undefined
  /**
   * Namespace in which the new link is created. Default: the namespace in which the `Rtnl` object works. The parent
   * link is always in the namespace of the `Rtnl` object.
   */
  readonly netns?: Netns | undefined
  readonly alias?: string | undefined
  readonly bridgePort?: Link['bridgePort']
} & (
  | { readonly kind: 'dummy' }
  | { readonly kind: 'ifb' }
  | { readonly kind: 'bridge'; readonly bridge?: Link['bridge'] }
  | {
      readonly kind: 'veth'
      /** Other end of the new veth. The peer may be in another namespace. */
      readonly peer: {
        readonly name: string
        readonly netns?: Netns | undefined
        readonly mtu?: number | undefined
        readonly mac?: string | undefined
        readonly txqlen?: number | undefined
        readonly up?: boolean | undefined
      }
    }
  | { readonly kind: 'vlan'; readonly parent: LinkRef; readonly vlan: NonNullable<Link['vlan']> }
  | { readonly kind: 'macvlan'; readonly parent: LinkRef; readonly macvlan?: Link['macvlan'] }
  | { readonly kind: 'ipvlan'; readonly parent: LinkRef; readonly ipvlan?: Link['ipvlan'] }
  | { readonly kind: 'vxlan'; readonly parent?: LinkRef | undefined; readonly vxlan: NonNullable<Link['vxlan']> }
  | { readonly kind: 'geneve'; readonly geneve: NonNullable<Link['geneve']> }
)

/** Argument of `addLink`: a new link, or a link returned by `getLink`. */
export interface LinkToAdd extends Omit<NewLink, 'kind'> {
  readonly kind?: string | undefined
  readonly peer?: Extract<NewLink, { readonly kind: 'veth' }>['peer'] | undefined
  readonly parent?: LinkRef | undefined
  readonly parentNetns?: number | undefined
  readonly bridge?: Link['bridge']
  readonly vlan?: Link['vlan']
  readonly macvlan?: Link['macvlan']
  readonly ipvlan?: Link['ipvlan']
  readonly vxlan?: Link['vxlan']
  readonly geneve?: Link['geneve']
}
