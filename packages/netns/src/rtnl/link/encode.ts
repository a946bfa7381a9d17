import { NetnsError } from '../../handle/netns-error.ts'
import { type Attribute, encodeAttributes } from '../../netlink/encode.ts'
import { cString, u32 } from '../../netlink/values.ts'
import { checkInteger, describeValue } from '../check.ts'
import type { LinkChange, VethPeer } from '../port/arguments.ts'
import type { LinkToAdd } from '../port/link.ts'
import { encodeBridge, encodeBridgePort } from './bridge.ts'
import { parseMac } from './mac.ts'
import { encodeIpvlan, encodeMacvlan, encodeVlan } from './on-parent.ts'
import { encodeGeneve, encodeRemote, encodeVxlan } from './tunnels.ts'
import * as wire from './wire.ts'

/** Indexes of the links that a new link refers to: master and parent. */
export interface LinkRefs {
  readonly master?: number | undefined
  readonly parent?: number | undefined
}

/** Fixed part and attributes of a netlink message about a link. */
export interface LinkMessage {
  readonly fixed: Uint8Array
  readonly attributes: Attribute[]
}

/** Encodes a netlink request that creates a link. Throws `NetnsError('INVALID')`. */
export function encodeNewLink(link: LinkToAdd, { master, parent }: LinkRefs = {}): LinkMessage {
  const attributes: Attribute[] = [wire.linkName(link.name), ...common(link)]
  if (link.netns !== undefined) attributes.push([wire.IFLA_NET_NS_FD, u32(link.netns.fd)])
  if (master !== undefined) attributes.push([wire.IFLA_MASTER, u32(master)])
  if (parent !== undefined && hangsOnParent(link)) attributes.push([wire.IFLA_LINK, u32(parent)])
  if (link.parentNetns !== undefined && hangsOnParent(link)) {
    attributes.push([wire.IFLA_LINK_NETNSID, u32(link.parentNetns)])
  }
  const info: Attribute[] = [[wire.IFLA_INFO_KIND, cString(link.kind ?? '')]]
  const data = kindData(link, parent)
  if (data.length > 0) info.push([wire.IFLA_INFO_DATA, data])
  attributes.push([wire.IFLA_LINKINFO, info])
  // Omits `up` for a veth, because the kernel refuses to set a veth up before its peer exists.
  const [flags, change] = flagsOf(link.kind === 'veth' ? { ...link, up: undefined } : link)
  return { fixed: wire.linkHeader(0, flags, change), attributes }
}

/** Encodes a change of a link, except the link's options as a bridge port. */
export function encodeLinkChange(
  index: number,
  change: LinkChange,
  { master }: LinkRefs,
  netns?: number,
): LinkMessage | undefined {
  const attributes = common(change)
  if (change.name !== undefined) attributes.push(wire.linkName(change.name))
  if (netns !== undefined) attributes.push([wire.IFLA_NET_NS_FD, u32(netns)])
  if (master !== undefined) attributes.push([wire.IFLA_MASTER, u32(master)])
  const { bridge, vxlan, geneve } = change
  if (bridge !== undefined) attributes.push(linkInfo('bridge', encodeBridge(bridge)))
  if (vxlan !== undefined) attributes.push(linkInfo('vxlan', encodeRemote('vxlan', vxlan)))
  if (geneve !== undefined) attributes.push(linkInfo('geneve', encodeRemote('geneve', geneve)))
  const [flags, mask] = flagsOf(change)
  if (attributes.length === 0 && mask === 0) return undefined
  return { fixed: wire.linkHeader(index, flags, mask), attributes }
}

/** Encodes a change of the options of a bridge port. Throws `NetnsError('INVALID')`. */
export function encodePortChange(index: number, { bridgePort }: LinkChange): LinkMessage | undefined {
  const options = bridgePort === undefined ? [] : encodeBridgePort(bridgePort)
  if (options.length === 0) return undefined
  const info: Attribute[] = [
    [wire.IFLA_INFO_SLAVE_KIND, cString('bridge')],
    [wire.IFLA_INFO_SLAVE_DATA, options],
  ]
  return { fixed: wire.linkHeader(index), attributes: [[wire.IFLA_LINKINFO, info]] }
}

/** True if a link of this kind needs a parent. A veth's parent is its peer. */
export function hangsOnParent({ kind }: { readonly kind?: string | undefined }): boolean {
  return kind === 'vlan' || kind === 'macvlan' || kind === 'ipvlan'
}

const linkInfo = (kind: string, data: Attribute[]): Attribute => [
  wire.IFLA_LINKINFO,
  [
    [wire.IFLA_INFO_KIND, cString(kind)],
    [wire.IFLA_INFO_DATA, data],
  ],
]

type Common = Pick<LinkChange, 'mtu' | 'mac' | 'txqlen' | 'alias'>

function common({ mtu, mac, txqlen, alias }: Common): Attribute[] {
  const attributes: Attribute[] = []
  // Checks only that the MTU fits 32 bits, because the kernel knows the kind's limits.
  if (mtu !== undefined) attributes.push([wire.IFLA_MTU, u32(checkInteger(mtu, 0, 0x7fffffff, 'mtu'))])
  if (mac !== undefined) attributes.push([wire.IFLA_ADDRESS, parseMac(mac)])
  if (txqlen !== undefined) attributes.push([wire.IFLA_TXQLEN, u32(checkInteger(txqlen, 0, 0xffffffff, 'txqlen'))])
  if (alias !== undefined) attributes.push([wire.IFLA_IFALIAS, cString(alias)])
  return attributes
}

function flagsOf(link: Pick<LinkChange, 'up' | 'promisc' | 'allmulti'>): [flags: number, change: number] {
  let flags = 0
  let change = 0
  for (const [value, bit] of [
    [link.up, wire.IFF_UP],
    [link.promisc, wire.IFF_PROMISC],
    [link.allmulti, wire.IFF_ALLMULTI],
  ] as const) {
    if (value === undefined) continue
    change |= bit
    if (value) flags |= bit
  }
  return [flags, change]
}

function kindData(link: LinkToAdd, parent: number | undefined): Attribute[] {
  const { kind } = link
  const missing = (member: string, hint: string) =>
    new NetnsError('INVALID', `A ${kind} link (${JSON.stringify(link.name)}) needs ${member}${hint}`)
  if (kind === 'veth') {
    if (link.peer === undefined) throw missing('peer', ', the other end: { name }')
    return [[wire.VETH_INFO_PEER, encodePeer(link.peer)]]
  }
  if (hangsOnParent(link) && parent === undefined) throw missing('parent', ', the link it is based on')
  if (kind === 'bridge') return encodeBridge(link.bridge ?? {})
  if (kind === 'macvlan') return encodeMacvlan(link.macvlan ?? {})
  if (kind === 'ipvlan') return encodeIpvlan(link.ipvlan ?? {})
  if (kind === 'vlan') {
    if (link.vlan?.id === undefined) throw missing('vlan', ': { id }')
    return encodeVlan(link.vlan)
  }
  if (kind === 'vxlan') {
    if (link.vxlan?.id === undefined) throw missing('vxlan', ': { id }')
    return encodeVxlan(link.vxlan, parent)
  }
  if (kind === 'geneve') {
    if (link.geneve?.id === undefined) throw missing('geneve', ': { id, remote }')
    return encodeGeneve(link.geneve)
  }
  if (kind === 'dummy' || kind === 'ifb') return []
  const known = 'bridge, dummy, geneve, ifb, ipvlan, macvlan, veth, vlan, vxlan'
  const what = kind === undefined ? 'has no kind: it is hardware or lo' : `is of the kind ${describeValue(kind)}`
  throw new NetnsError('INVALID', `Link ${describeValue(link.name)} ${what}; supported kinds: ${known}`)
}

// Encodes the attribute with the peer of a veth: a whole link message, including its fixed part.
function encodePeer(peer: VethPeer): Uint8Array {
  const attributes = [wire.linkName(peer.name), ...common(peer)]
  if (peer.netns !== undefined) attributes.push([wire.IFLA_NET_NS_FD, u32(peer.netns.fd)])
  return encodeAttributes(attributes, wire.linkHeader(0))
}
