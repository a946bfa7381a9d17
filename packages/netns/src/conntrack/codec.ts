import { formatAddress, type IpFamily, parseAddress } from '@cni/types/ip'
import { attributeMap, type Message } from '../netlink/decode.ts'
import type { Attribute } from '../netlink/encode.ts'
import { be16, readBe16, readBe32, readU8, u32 } from '../netlink/values.ts'
import { AF_INET, AF_INET6 } from '../rtnl/constants.ts'
import type { ConntrackEntry, ConntrackTuple, TupleFilter } from './entry.ts'
import type { CheckedFilter } from './filter.ts'
import { protocolName, protocolNumber } from './protocol.ts'

// Constants from the kernel headers <linux/netfilter/nfnetlink.h> and <linux/netfilter/nfnetlink_conntrack.h>.
const NFNL_SUBSYS_CTNETLINK = 1
const NFGENMSG = 4
export const CT_NEW = NFNL_SUBSYS_CTNETLINK << 8
export const CT_GET = CT_NEW | 1
export const CT_DELETE = CT_NEW | 2
const CTA_TUPLE_ORIG = 1
const CTA_TUPLE_REPLY = 2
const CTA_TIMEOUT = 7
const CTA_MARK = 8
const CTA_ID = 12
const CTA_ZONE = 18
const CTA_FILTER = 25
const CTA_TUPLE_IP = 1
const CTA_TUPLE_PROTO = 2
const CTA_IP_V4_SRC = 1
const CTA_IP_V4_DST = 2
const CTA_IP_V6_SRC = 3
const CTA_IP_V6_DST = 4
const CTA_PROTO_NUM = 1
const CTA_PROTO_SRC_PORT = 2
const CTA_PROTO_DST_PORT = 3
const CTA_FILTER_ORIG_FLAGS = 1
const CTA_FILTER_REPLY_FLAGS = 2
// Bits of CTA_FILTER_ORIG_FLAGS and CTA_FILTER_REPLY_FLAGS. Each bit makes the kernel compare one member of a
// connection's tuple.
const PROTOCOL = 8
const SPORT = 16
const DPORT = 32

/**
 * Encodes `nfgenmsg`, the fixed part of a ctnetlink request. The request covers the connections of its address family.
 */
export function conntrackHeader(family: IpFamily): Uint8Array {
  return Uint8Array.of(family === 'ipv4' ? AF_INET : AF_INET6, 0, 0, 0)
}

/** Filters only by protocol and ports, because kernels compare IPv6 addresses in the wrong byte order. */
export function encodeFilter({ protocol, original, reply }: CheckedFilter): Attribute[] {
  if (protocol === undefined) return []
  const number = protocolNumber(protocol)
  const attributes: Attribute[] = []
  const flags: Attribute[] = []
  for (const [tuple, type, flagsType] of [
    [original, CTA_TUPLE_ORIG, CTA_FILTER_ORIG_FLAGS],
    [reply, CTA_TUPLE_REPLY, CTA_FILTER_REPLY_FLAGS],
  ] as const) {
    const { sport, dport } = tuple
    const ports = (sport === undefined ? 0 : SPORT) | (dport === undefined ? 0 : DPORT)
    attributes.push([type, encodeTuple({ sport, dport }, number)])
    flags.push([flagsType, u32(PROTOCOL | ports)])
  }
  return [...attributes, [CTA_FILTER, flags]]
}

/** Returns the netlink attributes by which a delete request identifies exactly one tracked connection. */
export function encodeIdentity({ body }: Message): Attribute[] {
  const attributes = attributeMap(body, NFGENMSG)
  return [CTA_TUPLE_ORIG, CTA_ZONE, CTA_ID].flatMap((type): Attribute[] => {
    const value = attributes.get(type)
    return value === undefined ? [] : [[type, value]]
  })
}

/** Encodes the addresses and ports of one direction of a connection as netlink attributes. Omits missing members. */
export function encodeTuple({ src, dst, sport, dport }: TupleFilter, protocol: number): Attribute[] {
  const addresses: Attribute[] = []
  for (const [text, v4, v6] of [
    [src, CTA_IP_V4_SRC, CTA_IP_V6_SRC],
    [dst, CTA_IP_V4_DST, CTA_IP_V6_DST],
  ] as const) {
    const bytes = text === undefined ? undefined : parseAddress(text)
    if (bytes !== undefined) addresses.push([bytes.length === 4 ? v4 : v6, bytes])
  }
  const proto: Attribute[] = [[CTA_PROTO_NUM, Uint8Array.of(protocol)]]
  if (sport !== undefined) proto.push([CTA_PROTO_SRC_PORT, be16(sport)])
  if (dport !== undefined) proto.push([CTA_PROTO_DST_PORT, be16(dport)])
  return [
    [CTA_TUPLE_IP, addresses],
    [CTA_TUPLE_PROTO, proto],
  ]
}

/** Decodes the tracked connection in a netlink message. Returns `undefined` for a message without a connection. */
export function decodeEntry({ body }: Message): ConntrackEntry | undefined {
  const attributes = attributeMap(body, NFGENMSG)
  const original = decodeTuple(attributes.get(CTA_TUPLE_ORIG))
  const reply = decodeTuple(attributes.get(CTA_TUPLE_REPLY))
  if (original === undefined || reply === undefined) return undefined
  const timeoutSeconds = readBe32(attributes.get(CTA_TIMEOUT))
  return {
    family: body[0] === AF_INET ? 'ipv4' : 'ipv6',
    protocol: protocolName(original.protocol),
    original: original.tuple,
    reply: reply.tuple,
    zone: readBe16(attributes.get(CTA_ZONE)) ?? 0,
    mark: readBe32(attributes.get(CTA_MARK)) ?? 0,
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  }
}

function decodeTuple(bytes: Buffer | undefined): { tuple: ConntrackTuple; protocol: number } | undefined {
  if (bytes === undefined) return undefined
  const parts = attributeMap(bytes)
  const [ip, proto] = [parts.get(CTA_TUPLE_IP), parts.get(CTA_TUPLE_PROTO)]
  if (ip === undefined || proto === undefined) return undefined
  const addresses = attributeMap(ip)
  const src = addresses.get(CTA_IP_V4_SRC) ?? addresses.get(CTA_IP_V6_SRC)
  const dst = addresses.get(CTA_IP_V4_DST) ?? addresses.get(CTA_IP_V6_DST)
  const numbers = attributeMap(proto)
  const protocol = readU8(numbers.get(CTA_PROTO_NUM))
  if (src === undefined || dst === undefined || protocol === undefined) return undefined
  const sport = readBe16(numbers.get(CTA_PROTO_SRC_PORT))
  const dport = readBe16(numbers.get(CTA_PROTO_DST_PORT))
  const ports = { ...(sport === undefined ? {} : { sport }), ...(dport === undefined ? {} : { dport }) }
  return { protocol, tuple: { src: formatAddress(src), dst: formatAddress(dst), ...ports } }
}
