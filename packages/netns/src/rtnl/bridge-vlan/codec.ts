import { attributeMap, decodeAttributes } from '../../netlink/decode.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { u16, u32 } from '../../netlink/values.ts'
import { checkInteger } from '../check.ts'
import { AF_BRIDGE } from '../constants.ts'
import { IFINFOMSG, linkHeader } from '../link/wire.ts'
import type { BridgeVlan, NewBridgeVlan } from '../port/arguments.ts'

// Constants from the kernel headers <linux/if_link.h>, <linux/if_bridge.h> and <linux/rtnetlink.h>.
const IFLA_AF_SPEC = 26
const IFLA_EXT_MASK = 29
const RTEXT_FILTER_BRVLAN = 2
const IFLA_BRIDGE_FLAGS = 0
const IFLA_BRIDGE_VLAN_INFO = 2
const BRIDGE_FLAGS_SELF = 2
const PVID = 0x02
const UNTAGGED = 0x04
const RANGE_BEGIN = 0x08
const RANGE_END = 0x10

/** Encodes a netlink request that lists the VLANs of all bridges and of their ports. */
export function vlanQuery(): { fixed: Uint8Array; attributes: Attribute[] } {
  return { fixed: header(0), attributes: [[IFLA_EXT_MASK, u32(RTEXT_FILTER_BRVLAN)]] }
}

/**
 * Encodes a netlink request that adds or deletes VLANs of a bridge or bridge port.
 *
 * @param self - true for a VLAN of the bridge itself, false for a VLAN of a port
 */
export function encodeVlans(
  vlan: NewBridgeVlan,
  linkIndex: number,
  self: boolean,
): { fixed: Uint8Array; attributes: Attribute[] } {
  const vid = checkInteger(vlan.vid, 1, 4094, 'vid')
  const last = checkInteger(vlan.lastVid ?? vid, vid, 4094, 'lastVid')
  const flags = (vlan.pvid ? PVID : 0) | (vlan.untagged ? UNTAGGED : 0)
  const info = (id: number, more: number): Attribute => [
    IFLA_BRIDGE_VLAN_INFO,
    Buffer.concat([u16(flags | more), u16(id)]),
  ]
  const infos = last === vid ? [info(vid, 0)] : [info(vid, RANGE_BEGIN), info(last, RANGE_END)]
  const side: Attribute[] = self ? [[IFLA_BRIDGE_FLAGS, u16(BRIDGE_FLAGS_SELF)]] : []
  return { fixed: header(linkIndex), attributes: [[IFLA_AF_SPEC, [...side, ...infos]]] }
}

/** Decodes the VLANs in a netlink message about a bridge port or a bridge. */
export function decodeVlans(body: Buffer): BridgeVlan[] {
  const spec = attributeMap(body, IFINFOMSG).get(IFLA_AF_SPEC)
  if (spec === undefined) return []
  const linkIndex = body.readInt32LE(4)
  return decodeAttributes(spec).flatMap(([type, value]) => {
    if (type !== IFLA_BRIDGE_VLAN_INFO || value.length < 4) return []
    const flags = value.readUInt16LE(0)
    return [{ linkIndex, vid: value.readUInt16LE(2), pvid: (flags & PVID) !== 0, untagged: (flags & UNTAGGED) !== 0 }]
  })
}

function header(index: number): Uint8Array {
  const fixed = linkHeader(index)
  fixed[0] = AF_BRIDGE
  return fixed
}
