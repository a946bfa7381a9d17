/** Of a bridge. */
export interface BridgeOptions {
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

/** Of a port of a bridge. */
export interface BridgePort {
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

/** Of a VLAN of its parent. */
export interface VlanOptions {
  /** 0 to 4094. */
  readonly id: number
  /** Default: `802.1q`. */
  readonly protocol?: '802.1q' | '802.1ad' | undefined
}

/** Of a link with a MAC address of its own on its parent. */
export interface MacvlanOptions {
  /** Default of the kernel: `vepa`; CNI's: `bridge`. */
  readonly mode?: MacvlanMode | undefined
}

/** Who may talk to whom on one parent. */
export type MacvlanMode = 'private' | 'vepa' | 'bridge' | 'passthru' | 'source'

/** Of a link that shares the MAC address of its parent. */
export interface IpvlanOptions {
  /** Default of the kernel: `l3`; CNI's: `l2`. */
  readonly mode?: 'l2' | 'l3' | 'l3s' | undefined
  /** Who may talk to whom on one parent. Default: `bridge`, all. */
  readonly isolation?: 'bridge' | 'private' | 'vepa' | undefined
}

/** Of a VXLAN. */
export interface VxlanOptions {
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

/** Of a GENEVE tunnel. */
export interface GeneveOptions {
  /** The network identifier, 24 bits. */
  readonly id: number
  readonly remote: string
  /** UDP port. Default of the kernel: 6081. */
  readonly port?: number | undefined
  /** 0: that of the packet inside. */
  readonly ttl?: number | undefined
  readonly udpChecksum?: boolean | undefined
}

/** What the kernel lets one change about a tunnel. */
export interface TunnelChange {
  /** The other end, of the family that it was of. */
  readonly remote: string
}
