import type { Netns } from '../handle/netns.ts'
import { NetnsError } from '../handle/netns-error.ts'
import { attributeMap } from '../netlink/decode.ts'
import { type Attribute, encodeAttributes } from '../netlink/encode.ts'
import { cString, readCString, readU32, u32 } from '../netlink/values.ts'

/** A network interface. */
export interface Link {
  readonly index: number
  readonly name: string
  /** `veth`, `bridge`, `dummy` …; missing for `lo` and hardware. */
  readonly kind?: string
  readonly mac?: string
  readonly mtu: number
  /** Is it set up? */
  readonly up: boolean
  /** Does it also have a carrier? */
  readonly running: boolean
  readonly loopback: boolean
  /** Index of the bridge or bond it belongs to. */
  readonly master?: number
  /** Index, in its own namespace, of the link it hangs on: the other end of a veth. */
  readonly parent?: number
}

/** A link to create; a veth has a peer, which may be born in another namespace. */
export type LinkSpec =
  | { readonly name: string; readonly kind: 'dummy' | 'bridge'; readonly mtu?: number }
  | { readonly name: string; readonly kind: 'veth'; readonly mtu?: number; readonly peer: VethPeer }

/** The other end of a veth. */
export interface VethPeer {
  readonly name: string
  readonly netns?: Netns
}

export const IFF_UP = 0x1
const IFF_LOOPBACK = 0x8
const IFF_RUNNING = 0x40
const IFINFOMSG = 16

const IFLA_ADDRESS = 1
const IFLA_IFNAME = 3
const IFLA_MTU = 4
const IFLA_LINK = 5
const IFLA_MASTER = 10
const IFLA_LINKINFO = 18
const IFLA_NET_NS_FD = 28
const IFLA_INFO_KIND = 1
const IFLA_INFO_DATA = 2
const VETH_INFO_PEER = 1

/** The fixed part of a link message: which link, and which of its flags become what. */
export function linkHeader(index: number, flags = 0, change = 0): Uint8Array {
  const bytes = Buffer.alloc(IFINFOMSG)
  bytes.writeInt32LE(index, 4)
  bytes.writeUInt32LE(flags, 8)
  bytes.writeUInt32LE(change, 12)
  return bytes
}

/** The attribute that names a link. Throws `NetnsError('INVALID')` for what cannot be a name. */
export function linkName(name: string): Attribute {
  const length = Buffer.byteLength(name)
  // the kernel's own rule (dev_valid_name), IFNAMSIZ counts the NUL
  if (length === 0 || length > 15 || name === '.' || name === '..' || /[/:\s\0]/.test(name)) {
    throw new NetnsError(
      'INVALID',
      `Not an interface name: ${JSON.stringify(name)}; at most 15 bytes, no blanks, / or :`,
    )
  }
  return [IFLA_IFNAME, cString(name)]
}

/** The attributes that create a link. */
export function encodeNewLink(link: LinkSpec): Attribute[] {
  const info: Attribute[] = [[IFLA_INFO_KIND, cString(link.kind)]]
  if (link.kind === 'veth') info.push([IFLA_INFO_DATA, [[VETH_INFO_PEER, encodePeer(link.peer)]]])
  const attributes: Attribute[] = [linkName(link.name)]
  if (link.mtu !== undefined) attributes.push([IFLA_MTU, u32(link.mtu)])
  return [...attributes, [IFLA_LINKINFO, info]]
}

/** A link message of the kernel. */
export function decodeLink(body: Buffer): Link {
  const attributes = attributeMap(body, IFINFOMSG)
  const flags = body.readUInt32LE(8)
  const info = attributes.get(IFLA_LINKINFO)
  const kind = info === undefined ? undefined : readCString(attributeMap(info).get(IFLA_INFO_KIND))
  const mac = attributes.get(IFLA_ADDRESS)
  const master = readU32(attributes.get(IFLA_MASTER))
  const parent = readU32(attributes.get(IFLA_LINK))
  return {
    index: body.readInt32LE(4),
    name: readCString(attributes.get(IFLA_IFNAME)) ?? '',
    mtu: readU32(attributes.get(IFLA_MTU)) ?? 0,
    up: (flags & IFF_UP) !== 0,
    running: (flags & IFF_RUNNING) !== 0,
    loopback: (flags & IFF_LOOPBACK) !== 0,
    ...(kind === undefined ? {} : { kind }),
    ...(mac?.length === 6 ? { mac: formatMac(mac) } : {}),
    ...(master === undefined ? {} : { master }),
    ...(parent === undefined || parent === 0 ? {} : { parent }),
  }
}

// A link message within a link message: the fixed part, then attributes; not an ordinary nested attribute.
function encodePeer(peer: VethPeer): Uint8Array {
  const attributes = [linkName(peer.name)]
  if (peer.netns !== undefined) attributes.push([IFLA_NET_NS_FD, u32(peer.netns.fd)])
  return encodeAttributes(attributes, linkHeader(0))
}

// A regular expression takes bun 0.1 ms the first time.
function formatMac(bytes: Buffer): string {
  let text = bytes.toString('hex', 0, 1)
  for (let i = 1; i < bytes.length; i++) text += `:${bytes.toString('hex', i, i + 1)}`
  return text
}
