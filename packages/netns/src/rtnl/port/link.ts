import type { Netns } from '../../handle/netns.ts'

/** A network interface. What is there as read may be passed to `addLink`, which makes it again. */
export interface Link {
  readonly index: number
  readonly name: string
  /** `veth`, `bridge`, `dummy` …; missing for `lo` and hardware. */
  readonly kind?: string
  readonly mac?: string
  readonly mtu: number
  /** Packets that may wait to be sent. */
  readonly txqlen: number
  /** Is it set up? */
  readonly up: boolean
  /** Does it also have a carrier? */
  readonly running: boolean
  readonly loopback: boolean
  /** Takes in frames for other addresses. */
  readonly promisc: boolean
  /** Takes in all multicast frames. */
  readonly allmulti: boolean
  readonly alias?: string
  /** Index of the bridge or bond it belongs to. */
  readonly master?: number
  /** Index, in its own namespace, of the link it hangs on: the other end of a veth. */
  readonly parent?: number
  /** The namespace of `parent`, by this namespace's number for it; missing when it is this one. */
  readonly parentNetns?: number
  /** Bridge options. */
  readonly bridge?: {
    /** Ports keep to their VLANs. */
    readonly vlanFiltering?: boolean | undefined
    /** The VLAN of a new port's untagged frames; 0: none. The kernel's default: 1. */
    readonly vlanDefaultPvid?: number | undefined
    /** How long an address that was learned is kept, in seconds. */
    readonly ageingSeconds?: number | undefined
    /** The kernel runs the spanning tree protocol. */
    readonly stp?: boolean | undefined
    readonly forwardDelaySeconds?: number | undefined
    readonly helloSeconds?: number | undefined
    readonly maxAgeSeconds?: number | undefined
    /** Of the spanning tree: lower becomes root. */
    readonly priority?: number | undefined
    readonly multicastSnooping?: boolean | undefined
    /** Which link-local frames are passed on. */
    readonly groupForwardMask?: number | undefined
  }
  /** VLAN options. */
  readonly vlan?: {
    /** 0 to 4094. */
    readonly id: number
    /** Default: `802.1q`. */
    readonly protocol?: '802.1q' | '802.1ad' | undefined
  }
  /** Options of a link with a MAC address of its own on its parent. */
  readonly macvlan?: {
    /** Default of the kernel: `vepa`; CNI's: `bridge`. */
    readonly mode?: 'private' | 'vepa' | 'bridge' | 'passthru' | 'source' | undefined
  }
  /** Options of a link that shares the MAC address of its parent. */
  readonly ipvlan?: {
    /** Default of the kernel: `l3`; CNI's: `l2`. */
    readonly mode?: 'l2' | 'l3' | 'l3s' | undefined
    /** Who may talk to whom on one parent. Default: `bridge`, all. */
    readonly isolation?: 'bridge' | 'private' | 'vepa' | undefined
  }
  /** VXLAN options. */
  readonly vxlan?: {
    /** The network identifier, 24 bits. */
    readonly id: number
    /** The other end, or a multicast group. */
    readonly remote?: string | undefined
    readonly local?: string | undefined
    /** UDP port. Default of the kernel: 8472; IANA's: 4789. */
    readonly port?: number | undefined
    readonly learning?: boolean | undefined
    readonly ageingSeconds?: number | undefined
    /** 0: that of the packet inside. */
    readonly ttl?: number | undefined
    readonly udpChecksum?: boolean | undefined
  }
  /** GENEVE options. */
  readonly geneve?: {
    /** The network identifier, 24 bits. */
    readonly id: number
    readonly remote: string
    /** UDP port. Default of the kernel: 6081. */
    readonly port?: number | undefined
    /** 0: that of the packet inside. */
    readonly ttl?: number | undefined
    readonly udpChecksum?: boolean | undefined
  }
  /** Options as a port of the bridge that is its `master`. */
  readonly bridgePort?: {
    /** Frames may leave by the port they came in on. */
    readonly hairpin?: boolean | undefined
    /** Nothing goes from it to another isolated port. */
    readonly isolated?: boolean | undefined
    readonly learning?: boolean | undefined
    /** Frames to unknown addresses leave by it. */
    readonly flood?: boolean | undefined
    readonly multicastFlood?: boolean | undefined
    readonly broadcastFlood?: boolean | undefined
    /** Messages of the spanning tree are dropped. */
    readonly guard?: boolean | undefined
    readonly neighSuppress?: boolean | undefined
    readonly proxyArp?: boolean | undefined
    readonly cost?: number | undefined
    readonly priority?: number | undefined
  }
}

/** Which link: its name, its index, or the link as read, which is its index. */
export type LinkRef = string | number | Pick<Link, 'index' | 'name'>

/** A link to create. */
export type NewLink = {
  readonly name: string
  /** Bytes. Default: the kernel's, 1500 or that of the parent. */
  readonly mtu?: number | undefined
  /** `02:00:00:ab:00:01`. Default: a random one, or that of the parent. */
  readonly mac?: string | undefined
  /** Packets that may wait to be sent. */
  readonly txqlen?: number | undefined
  /** Born up. Default: false. */
  readonly up?: boolean | undefined
  /** The bridge or bond it becomes a port of. */
  readonly master?: LinkRef | undefined
  /** Where it is born; its parent is still a link of here. Default: here. */
  readonly netns?: Netns | undefined
  readonly alias?: string | undefined
  readonly bridgePort?: Link['bridgePort']
} & (
  | { readonly kind: 'dummy' }
  | { readonly kind: 'ifb' }
  | { readonly kind: 'bridge'; readonly bridge?: Link['bridge'] }
  | {
      readonly kind: 'veth'
      /** The other end, which may be born in another namespace. */
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

/** Either of them: what `addLink` takes. */
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
