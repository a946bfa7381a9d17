import { attributeMap } from '../../netlink/decode.ts'
import { readCString, readU32 } from '../../netlink/values.ts'
import type { Link } from '../port/link.ts'
import { decodeBridge, decodeBridgePort } from './bridge.ts'
import { formatMac } from './mac.ts'
import { decodeIpvlan, decodeMacvlan, decodeVlan } from './on-parent.ts'
import { decodeGeneve, decodeVxlan, vxlanParent } from './tunnels.ts'
import * as wire from './wire.ts'

/** Decodes the link in an RTM_NEWLINK message. */
export function decodeLink(body: Buffer): Link {
  const attributes = attributeMap(body, wire.IFINFOMSG)
  const flags = body.readUInt32LE(8)
  const mac = attributes.get(wire.IFLA_ADDRESS)
  const parent = readU32(attributes.get(wire.IFLA_LINK))
  return {
    index: body.readInt32LE(4),
    name: readCString(attributes.get(wire.IFLA_IFNAME)) ?? '',
    mtu: readU32(attributes.get(wire.IFLA_MTU)) ?? 0,
    txqlen: readU32(attributes.get(wire.IFLA_TXQLEN)) ?? 0,
    up: (flags & wire.IFF_UP) !== 0,
    running: (flags & wire.IFF_RUNNING) !== 0,
    loopback: (flags & wire.IFF_LOOPBACK) !== 0,
    promisc: (flags & wire.IFF_PROMISC) !== 0,
    allmulti: (flags & wire.IFF_ALLMULTI) !== 0,
    ...present('mac', mac?.length === 6 ? formatMac(mac) : undefined),
    ...present('alias', readCString(attributes.get(wire.IFLA_IFALIAS))),
    ...present('master', readU32(attributes.get(wire.IFLA_MASTER))),
    ...present('parent', parent === 0 ? undefined : parent),
    ...present('parentNetns', readU32(attributes.get(wire.IFLA_LINK_NETNSID))),
    ...decodeInfo(attributes.get(wire.IFLA_LINKINFO)),
  }
}

/** Decodes a link's kind, the options of that kind, and the options of a bridge port. */
function decodeInfo(bytes: Buffer | undefined): Partial<Link> {
  if (bytes === undefined) return {}
  const info = attributeMap(bytes)
  const kind = readCString(info.get(wire.IFLA_INFO_KIND))
  const slave = readCString(info.get(wire.IFLA_INFO_SLAVE_KIND))
  const port = info.get(wire.IFLA_INFO_SLAVE_DATA)
  return {
    ...present('kind', kind),
    ...decodeData(kind, info.get(wire.IFLA_INFO_DATA)),
    ...(slave === 'bridge' && port !== undefined ? { bridgePort: decodeBridgePort(attributeMap(port)) } : {}),
  }
}

function decodeData(kind: string | undefined, bytes: Buffer | undefined): Partial<Link> {
  if (bytes === undefined) return {}
  if (kind === 'bridge') return { bridge: decodeBridge(attributeMap(bytes)) }
  if (kind === 'vlan') return { vlan: decodeVlan(attributeMap(bytes)) }
  if (kind === 'macvlan') return { macvlan: decodeMacvlan(attributeMap(bytes)) }
  if (kind === 'ipvlan') return { ipvlan: decodeIpvlan(attributeMap(bytes)) }
  if (kind === 'geneve') return { geneve: decodeGeneve(attributeMap(bytes)) }
  if (kind !== 'vxlan') return {}
  const data = attributeMap(bytes)
  return { vxlan: decodeVxlan(data), ...present('parent', vxlanParent(data)) }
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [_ in Name]?: Value } {
  const object: { [_ in Name]?: Value } = {}
  if (value !== undefined) object[name] = value
  return object
}
