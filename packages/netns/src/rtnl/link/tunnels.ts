import { formatAddress } from '@cni/types/ip'
import { NetnsError } from '../../handle/netns-error.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { readBe16, readFlag, readU8, readU32 } from '../../netlink/values.ts'
import { checkInteger, defined } from '../check.ts'
import { OptionWriter } from './option-writer.ts'
import type { GeneveOptions, VxlanOptions } from './options.ts'

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

const MOST_VNI = 0xffffff

/** The attributes of a VXLAN; a parent is one of them. Throws `NetnsError('INVALID')`. */
export function encodeVxlan(options: VxlanOptions, parent: number | undefined): Attribute[] {
  checkInteger(options.id, 0, MOST_VNI, 'vxlan.id')
  return new OptionWriter('vxlan')
    .u32(IFLA_VXLAN_ID, 'id', options.id, MOST_VNI)
    .address(IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6, 'remote', options.remote)
    .u32(IFLA_VXLAN_LINK, 'parent', parent)
    .address(IFLA_VXLAN_LOCAL, IFLA_VXLAN_LOCAL6, 'local', options.local)
    .u8(IFLA_VXLAN_TTL, 'ttl', options.ttl)
    .flag(IFLA_VXLAN_LEARNING, 'learning', options.learning)
    .u32(IFLA_VXLAN_AGEING, 'ageingSeconds', options.ageingSeconds)
    .be16(IFLA_VXLAN_PORT, 'port', options.port)
    .flag(IFLA_VXLAN_UDP_CSUM, 'udpChecksum', options.udpChecksum).attributes
}

/** The options among the attributes of a VXLAN. */
export function decodeVxlan(data: ReadonlyMap<number, Buffer>): VxlanOptions {
  return defined({
    id: readU32(data.get(IFLA_VXLAN_ID)) ?? 0,
    remote: address(data.get(IFLA_VXLAN_GROUP) ?? data.get(IFLA_VXLAN_GROUP6)),
    local: address(data.get(IFLA_VXLAN_LOCAL) ?? data.get(IFLA_VXLAN_LOCAL6)),
    port: readBe16(data.get(IFLA_VXLAN_PORT)),
    learning: readFlag(data.get(IFLA_VXLAN_LEARNING)),
    ageingSeconds: readU32(data.get(IFLA_VXLAN_AGEING)),
    ttl: readU8(data.get(IFLA_VXLAN_TTL)),
    udpChecksum: readFlag(data.get(IFLA_VXLAN_UDP_CSUM)),
  })
}

/** The index of the link a VXLAN sends by. */
export function vxlanParent(data: ReadonlyMap<number, Buffer>): number | undefined {
  return readU32(data.get(IFLA_VXLAN_LINK))
}

/** The attributes of a GENEVE tunnel. Throws `NetnsError('INVALID')`. */
export function encodeGeneve(options: GeneveOptions): Attribute[] {
  if (options.remote === undefined)
    throw new NetnsError('INVALID', 'geneve.remote: expected an IP address, got nothing')
  checkInteger(options.id, 0, MOST_VNI, 'geneve.id')
  return new OptionWriter('geneve')
    .u32(IFLA_GENEVE_ID, 'id', options.id, MOST_VNI)
    .address(IFLA_GENEVE_REMOTE, IFLA_GENEVE_REMOTE6, 'remote', options.remote)
    .u8(IFLA_GENEVE_TTL, 'ttl', options.ttl)
    .be16(IFLA_GENEVE_PORT, 'port', options.port)
    .flag(IFLA_GENEVE_UDP_CSUM, 'udpChecksum', options.udpChecksum).attributes
}

/** The options among the attributes of a GENEVE tunnel. */
export function decodeGeneve(data: ReadonlyMap<number, Buffer>): GeneveOptions {
  return defined({
    id: readU32(data.get(IFLA_GENEVE_ID)) ?? 0,
    remote: address(data.get(IFLA_GENEVE_REMOTE) ?? data.get(IFLA_GENEVE_REMOTE6)) ?? '',
    port: readBe16(data.get(IFLA_GENEVE_PORT)),
    ttl: readU8(data.get(IFLA_GENEVE_TTL)),
    udpChecksum: readFlag(data.get(IFLA_GENEVE_UDP_CSUM)),
  })
}

/** As the kernel shows it; all zeros stand for none. */
function address(bytes: Buffer | undefined): string | undefined {
  const isSome = bytes !== undefined && (bytes.length === 4 || bytes.length === 16) && bytes.some((byte) => byte !== 0)
  return isSome ? formatAddress(bytes) : undefined
}
