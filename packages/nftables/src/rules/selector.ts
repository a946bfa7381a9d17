import type { Expression } from '../wire/expressions/expression-types.ts'
import { type DataType, dataTypes } from './data-type.ts'
import type { Selector } from './values.ts'

/**
 * Protocol that a rule must compare before a selector, because only packets of the protocol have the selector's field.
 */
export type Need = 'ipv4' | 'ipv6' | 'tcp' | 'udp' | 'icmp' | 'ipv6-icmp'

/** Properties of a selector such as `tcp dport`: data type, required protocol, and encoding as netlink expressions. */
export interface SelectorSpec {
  readonly type: DataType
  /** Netlink expression that loads the selector's value into register 1. */
  readonly load: Expression
  readonly needs: readonly Need[]
  /** Selector in nft's user data: number of the expression, and its arguments. */
  readonly noted: readonly number[]
}

const NONE: readonly Need[] = []

const meta = (type: DataType, key: MetaKey, number: number): SelectorSpec => ({
  ...{ type, load: Object.freeze({ name: 'meta', key, dreg: 1 }), needs: NONE, noted: [9, number] },
})
const ct = (type: DataType, key: 'state' | 'mark' | 'direction' | 'status', number: number): SelectorSpec => ({
  ...{ type, load: Object.freeze({ name: 'ct', key, dreg: 1 }), needs: NONE, noted: [12, number, 0xffff_ffff] },
})
const fib = (flags: number): SelectorSpec => ({
  type: dataTypes.fib_addrtype,
  load: Object.freeze({ name: 'fib', dreg: 1, result: 'type', flags }),
  ...{ needs: NONE, noted: [26, 3, flags] },
})
const socket = (type: DataType, key: 'transparent' | 'mark' | 'wildcard', number: number): SelectorSpec => ({
  ...{ type, load: Object.freeze({ name: 'socket', key, dreg: 1 }), needs: NONE, noted: [10, number] },
})
const header = (
  base: 'network' | 'transport',
  type: DataType,
  offset: number,
  needs: readonly Need[],
  noted: readonly [header: number, field: number],
): SelectorSpec => ({
  ...{ type, load: Object.freeze({ name: 'payload', dreg: 1, base, offset, len: type.length }), needs },
  noted: [PAYLOAD, ...noted],
})
const PAYLOAD = 7

type MetaKey = 'iifname' | 'oifname' | 'nfproto' | 'l4proto' | 'mark' | 'skuid' | 'skgid' | 'pkttype'

const { ipv4_addr, ipv6_addr, inet_proto, inet_service } = dataTypes
const ports = (needs: readonly Need[], number: number) => ({
  sport: header('transport', inet_service, 0, needs, [number, 1]),
  dport: header('transport', inet_service, 2, needs, [number, 2]),
})
const tcp = ports(['tcp'], 8)
const udp = ports(['udp'], 6)
const th = ports(NONE, 11)

/** Properties of all selectors, by nft's words for the selector. */
export const selectors: Readonly<Record<Selector, SelectorSpec>> = {
  iifname: meta(dataTypes.ifname, 'iifname', 6),
  oifname: meta(dataTypes.ifname, 'oifname', 7),
  nfproto: meta(dataTypes.nfproto, 'nfproto', 15),
  l4proto: meta(inet_proto, 'l4proto', 16),
  mark: meta(dataTypes.mark, 'mark', 3),
  skuid: meta(dataTypes.uid, 'skuid', 10),
  skgid: meta(dataTypes.gid, 'skgid', 11),
  pkttype: meta(dataTypes.pkttype, 'pkttype', 19),
  'ip protocol': header('network', inet_proto, 9, ['ipv4'], [12, 9]),
  'ip saddr': header('network', ipv4_addr, 12, ['ipv4'], [12, 11]),
  'ip daddr': header('network', ipv4_addr, 16, ['ipv4'], [12, 12]),
  'ip6 nexthdr': header('network', inet_proto, 6, ['ipv6'], [13, 6]),
  'ip6 saddr': header('network', ipv6_addr, 8, ['ipv6'], [13, 8]),
  'ip6 daddr': header('network', ipv6_addr, 24, ['ipv6'], [13, 9]),
  'tcp sport': tcp.sport,
  'tcp dport': tcp.dport,
  'tcp flags': header('transport', dataTypes.tcp_flag, 13, ['tcp'], [8, 7]),
  'udp sport': udp.sport,
  'udp dport': udp.dport,
  'th sport': th.sport,
  'th dport': th.dport,
  'icmp type': header('transport', dataTypes.icmp_type, 0, ['ipv4', 'icmp'], [4, 1]),
  'icmpv6 type': header('transport', dataTypes.icmpv6_type, 0, ['ipv6', 'ipv6-icmp'], [14, 1]),
  'ct state': ct(dataTypes.ct_state, 'state', 0),
  'ct mark': ct(dataTypes.mark, 'mark', 3),
  'ct direction': ct(dataTypes.ct_dir, 'direction', 1),
  'ct status': ct(dataTypes.ct_status, 'status', 2),
  'fib saddr type': fib(1),
  'fib daddr type': fib(2),
  'socket transparent': socket(dataTypes.boolean, 'transparent', 0),
  'socket wildcard': socket(dataTypes.boolean, 'wildcard', 2),
  'socket mark': socket(dataTypes.mark, 'mark', 1),
}

/** True if a text is the name of a selector, such as `tcp dport`. */
export function isSelector(kind: string): kind is Selector {
  return Object.hasOwn(selectors, kind)
}

/** True if the selector reads a header field, which nft stores in network byte order. */
export const isHeader = ({ noted }: SelectorSpec): boolean => noted[0] === PAYLOAD
