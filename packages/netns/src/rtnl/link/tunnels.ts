import { NetnsError } from '../../handle/netns-error.ts'
import type { Attribute } from '../../netlink/encode.ts'
import type { GeneveOptions, TunnelChange, VxlanOptions } from '../port/arguments.ts'
import { address, be16, decodeOptions, encodeOptions, flag, type OptionTable, u8, u32 } from './option-table.ts'

const IFLA_VXLAN_ID = 1
const IFLA_VXLAN_GROUP = 2
const IFLA_VXLAN_LINK = 3
const IFLA_VXLAN_LOCAL = 4
const IFLA_VXLAN_TTL = 5
const IFLA_VXLAN_LEARNING = 7
const IFLA_VXLAN_AGEING = 8
const IFLA_VXLAN_PORT = 15
const IFLA_VXLAN_GROUP6 = 16
const IFLA_VXLAN_LOCAL6 = 17
const IFLA_VXLAN_UDP_CSUM = 18

const IFLA_GENEVE_ID = 1
const IFLA_GENEVE_REMOTE = 2
const IFLA_GENEVE_TTL = 3
const IFLA_GENEVE_PORT = 5
const IFLA_GENEVE_REMOTE6 = 7
const IFLA_GENEVE_UDP_CSUM = 8

const MAX_VNI = 0xffffff

const vxlanOptions: OptionTable<VxlanOptions> = {
  id: u32(IFLA_VXLAN_ID, MAX_VNI),
  remote: address(IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6),
  local: address(IFLA_VXLAN_LOCAL, IFLA_VXLAN_LOCAL6),
  ttl: u8(IFLA_VXLAN_TTL),
  learning: flag(IFLA_VXLAN_LEARNING),
  ageingSeconds: u32(IFLA_VXLAN_AGEING),
  port: be16(IFLA_VXLAN_PORT),
  udpChecksum: flag(IFLA_VXLAN_UDP_CSUM),
}

const vxlanLink = u32(IFLA_VXLAN_LINK)

const geneveOptions: OptionTable<GeneveOptions> = {
  id: u32(IFLA_GENEVE_ID, MAX_VNI),
  remote: address(IFLA_GENEVE_REMOTE, IFLA_GENEVE_REMOTE6),
  ttl: u8(IFLA_GENEVE_TTL),
  port: be16(IFLA_GENEVE_PORT),
  udpChecksum: flag(IFLA_GENEVE_UDP_CSUM),
}

/** Encodes the options of a VXLAN, including its parent. Throws `NetnsError('INVALID')`. */
export function encodeVxlan(options: VxlanOptions, parent: number | undefined): Attribute[] {
  const attributes = encodeOptions('vxlan', vxlanOptions, options)
  return parent === undefined ? attributes : [...attributes, vxlanLink.encode(parent, 'vxlan.parent')]
}

/** Encodes a change of a VXLAN or GENEVE tunnel's remote address. Throws `NetnsError('INVALID')`. */
export function encodeRemote(kind: 'vxlan' | 'geneve', { remote }: TunnelChange): Attribute[] {
  const table = kind === 'vxlan' ? vxlanOptions : geneveOptions
  return [table.remote.encode(remote, `${kind}.remote`)]
}

/** Decodes the options of a VXLAN. */
export function decodeVxlan(data: ReadonlyMap<number, Buffer>): VxlanOptions {
  return { id: 0, ...decodeOptions(vxlanOptions, data) }
}

/** Decodes the index of the link through which a VXLAN sends its outer packets. */
export function vxlanParent(data: ReadonlyMap<number, Buffer>): number | undefined {
  return vxlanLink.decode(data)
}

/** Encodes the options of a GENEVE tunnel. Throws `NetnsError('INVALID')`. */
export function encodeGeneve(options: GeneveOptions): Attribute[] {
  if (options.remote === undefined)
    throw new NetnsError('INVALID', 'geneve.remote: expected an IP address, got nothing')
  return encodeOptions('geneve', geneveOptions, options)
}

/** Decodes the options of a GENEVE tunnel. */
export function decodeGeneve(data: ReadonlyMap<number, Buffer>): GeneveOptions {
  return { id: 0, remote: '', ...decodeOptions(geneveOptions, data) }
}
