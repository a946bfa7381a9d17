import type { Netns, NetnsTarget } from '../../handle/netns.ts'
import type {
  BridgeOptions,
  BridgePort,
  GeneveOptions,
  IpvlanOptions,
  MacvlanOptions,
  TunnelChange,
  VlanOptions,
  VxlanOptions,
} from './options.ts'

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
  readonly bridge?: BridgeOptions
  readonly vlan?: VlanOptions
  readonly macvlan?: MacvlanOptions
  readonly ipvlan?: IpvlanOptions
  readonly vxlan?: VxlanOptions
  readonly geneve?: GeneveOptions
  /** As a port of the bridge that is its `master`. */
  readonly bridgePort?: BridgePort
}

/** Which link: its name, its index, or the link as read, which is its index. */
export type LinkRef = string | number | Pick<Link, 'index' | 'name'>

/** What every link to create may say. */
export interface NewLinkCommon {
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
  readonly bridgePort?: BridgePort | undefined
}

/** A link to create. */
export type NewLink = NewLinkCommon &
  (
    | { readonly kind: 'dummy' | 'ifb' }
    | { readonly kind: 'bridge'; readonly bridge?: BridgeOptions | undefined }
    | { readonly kind: 'veth'; readonly peer: VethPeer }
    | { readonly kind: 'vlan'; readonly parent: LinkRef; readonly vlan: VlanOptions }
    | { readonly kind: 'macvlan'; readonly parent: LinkRef; readonly macvlan?: MacvlanOptions | undefined }
    | { readonly kind: 'ipvlan'; readonly parent: LinkRef; readonly ipvlan?: IpvlanOptions | undefined }
    | { readonly kind: 'vxlan'; readonly parent?: LinkRef | undefined; readonly vxlan: VxlanOptions }
    | { readonly kind: 'geneve'; readonly geneve: GeneveOptions }
  )

/** The other end of a veth, which may be born in another namespace. */
export interface VethPeer {
  readonly name: string
  readonly netns?: Netns | undefined
  readonly mtu?: number | undefined
  readonly mac?: string | undefined
  readonly txqlen?: number | undefined
  readonly up?: boolean | undefined
}

/** A link as read, to be made again. The kernel does not tell the name of a veth's other end: say `peer`. */
export type OldLink = Link & { readonly peer?: VethPeer | undefined; readonly netns?: Netns | undefined }

/** Either of them: what `addLink` takes. */
export interface LinkToAdd extends NewLinkCommon {
  readonly kind?: string | undefined
  readonly peer?: VethPeer | undefined
  readonly parent?: LinkRef | undefined
  readonly parentNetns?: number | undefined
  readonly bridge?: BridgeOptions | undefined
  readonly vlan?: VlanOptions | undefined
  readonly macvlan?: MacvlanOptions | undefined
  readonly ipvlan?: IpvlanOptions | undefined
  readonly vxlan?: VxlanOptions | undefined
  readonly geneve?: GeneveOptions | undefined
}

/** What to change about a link; what is not said stays. */
export interface LinkChange {
  /** A new name. Before Linux 6.2 only of a link that is down. */
  readonly name?: string | undefined
  /** The bridge or bond it becomes a port of; `null`: of none. */
  readonly master?: LinkRef | null | undefined
  readonly mtu?: number | undefined
  readonly mac?: string | undefined
  /** Where it goes. Its addresses and routes stay behind, and it arrives down unless `up` says otherwise. */
  readonly netns?: NetnsTarget | undefined
  readonly txqlen?: number | undefined
  readonly up?: boolean | undefined
  readonly promisc?: boolean | undefined
  readonly allmulti?: boolean | undefined
  readonly alias?: string | undefined
  /** Of a bridge. */
  readonly bridge?: BridgeOptions | undefined
  /** Of a VXLAN; connections through it go on. */
  readonly vxlan?: TunnelChange | undefined
  /** Of a GENEVE tunnel; connections through it go on. */
  readonly geneve?: TunnelChange | undefined
  /** Of a port of a bridge, the new `master` included. */
  readonly bridgePort?: BridgePort | undefined
}
