import type { Expression } from '@cni/nftables/wire'
import { networkAddress, parseAddress, parsePrefix } from '@cni/types/ip'
import { accountId } from '../parse/node-names.ts'
import { icmpTypes, icmpv6Types } from '../rules/icmp-types.ts'
import type { Family, Match } from '../rules/model.ts'
import type { RuleWords } from '../rules/rule-words.ts'
import { tcpFlags } from '../rules/words.ts'
import { forFamily } from '../text/match-args.ts'
import {
  addressOffsets,
  compare,
  loadInterface,
  loadNetwork,
  maskWith,
  NO_INTERFACE,
  xtMatch,
} from '../xt/expressions.ts'
import { Structure } from '../xt/structure.ts'
import {
  addressTypeBits,
  bitsOf,
  OLD_STATE,
  packetTypes,
  portModules,
  SOCKET,
  STATE,
  socketBits,
  stateBits,
  UNUSED,
} from '../xt/words.ts'

/** Encodes a condition as its xt match module; `undefined` for conditions that this package does not model. */
export function matchExpression(match: Match, family: Family): Expression | undefined {
  const not = 'not' in match && match.not === true ? 1 : 0
  switch (match.match) {
    case 'sports':
    case 'dports':
      return xtMatch('multiport', 1, multiport(match.match === 'sports' ? 0 : 1, match.ports, not))
    case 'uid':
    case 'gid':
      return owner(match.match, match.owner, not)
    case 'socketExists':
      return xtMatch('owner', 1, new Structure(24).u8(16, SOCKET).u8(17, not * SOCKET))
    case 'ctstate':
    case 'state':
      return xtMatch('conntrack', 3, states(match.states, match.match === 'state' ? OLD_STATE : 0, not))
    case 'mark':
    case 'connmark':
      return xtMatch(
        match.match,
        1,
        new Structure(12)
          .u32(0, match.value)
          .u32(4, match.mask ?? ALL)
          .u8(8, not),
      )
    case 'srcType':
    case 'dstType':
      return xtMatch('addrtype', 1, addressTypes(match.match === 'srcType', match.types, not))
    case 'srcRange':
    case 'dstRange':
      return range(match.match === 'srcRange', forFamily(match.range, family), not)
    case 'mac':
      return xtMatch(
        'mac',
        0,
        new Structure(12).set(0, Buffer.from(match.address.replaceAll(':', ''), 'hex')).u32(8, not),
      )
    case 'pktType':
      return xtMatch('pkttype', 0, new Structure(8).u32(0, packetTypes.indexOf(match.type)).u32(4, not))
    case 'random': {
      // Rounds the probability as iptables does. The structure also needs the probability in a field of the mode `nth`.
      const share = Math.round(Number(match.probability.toFixed(11)) * 2 ** 31)
      return xtMatch('statistic', 0, new Structure(24).u16(2, not).u32(4, share).u32(12, share))
    }
    case 'nth': {
      const { every, packet } = match
      const counted = new Structure(24).u16(0, 1).u16(2, not)
      return xtMatch(
        'statistic',
        0,
        counted
          .u32(4, every - 1)
          .u32(8, packet)
          .u32(12, every - 1 - packet),
      )
    }
    case 'socket':
      return xtMatch('socket', 3, new Structure(1).u8(0, bitsOf(socketBits, match.flags)))
    case 'comment':
      return xtMatch('comment', 0, new Structure(256).text(0, match.text))
    case 'icmpType':
      return xtMatch('icmp', 0, icmp(icmpTypes, match.type, not))
    case 'icmpv6Type':
      return xtMatch('icmp6', 0, icmp(icmpv6Types, match.type, not))
    default:
      return undefined
  }
}

const ALL = 0xffffffff

function multiport(kind: number, text: string, not: number): Structure {
  const info = new Structure(48).u8(0, kind).u8(47, not)
  let count = 0
  for (const part of text.split(',')) {
    const [first, last] = part.split(':').map(Number)
    if (last !== undefined) info.u8(32 + count, 1)
    info.u16(2 + 2 * count++, first ?? 0)
    if (last !== undefined) info.u16(2 + 2 * count++, last)
  }
  return info.u8(1, count)
}

/** Encodes the owner match. Looks up the ids of users and groups in the node's files. */
function owner(kind: 'uid' | 'gid', text: string, not: number): Expression | undefined {
  const found = /^(\d+)(?:-(\d+))?$/.exec(accountId(kind === 'uid' ? 'passwd' : 'group', text))
  if (found === null) return undefined
  const [at, bit] = kind === 'uid' ? [0, 1] : [8, 2]
  const min = Number(found[1])
  const info = new Structure(24).u32(at, min).u32(at + 4, Number(found[2] ?? min))
  return xtMatch('owner', 1, info.u8(16, bit).u8(17, not * bit))
}

function states(given: readonly RuleWords['ctState'][], flags: number, not: number): Structure {
  return new Structure(168)
    .u16(146, STATE | flags)
    .u16(148, not)
    .u16(150, bitsOf(stateBits, given))
}

function addressTypes(source: boolean, types: readonly RuleWords['addrType'][], not: number): Structure {
  return new Structure(8).u16(source ? 0 : 2, bitsOf(addressTypeBits, types)).u32(4, not * (source ? 1 : 2))
}

function range(source: boolean, text: string, not: number): Expression | undefined {
  const [first, last] = text.split('-').map(parseAddress)
  if (first === undefined) return undefined
  const at = source ? 0 : 32
  const bit = source ? 1 : 2
  const info = new Structure(65).set(at, first).set(at + 16, last ?? first)
  return xtMatch('iprange', 1, info.u8(64, bit | (not * bit * 16)))
}

function icmp(names: Readonly<Record<string, string>>, text: string, not: number): Structure {
  const [type, code] = (Object.hasOwn(names, text) ? names[text] : text)?.split('/').map(Number) ?? []
  return new Structure(4)
    .u8(0, type ?? 0)
    .u8(1, code ?? 0)
    .u8(2, code ?? 255)
    .u8(3, not)
}

/** Encodes a rule's ports and TCP flags as one match of the protocol's xt module. */
export function transportExpressions(
  protocol: number | undefined,
  matches: readonly Match[],
): Expression[] | undefined {
  if (protocol === 33 || protocol === 132) return portModuleExpressions(protocol === 33 ? 'dccp' : 'sctp', matches)
  if (protocol !== 6 && protocol !== 17) return undefined
  const info = new Structure(16).u16(0, 0).u16(2, 65535).u16(4, 0).u16(6, 65535)
  let inverse = 0
  for (const match of matches) {
    const not = 'not' in match && match.not === true
    if (match.match === 'sport' || match.match === 'dport') {
      putPorts(info, match.match === 'sport' ? 0 : 4, match.ports)
      if (not) inverse |= match.match === 'sport' ? 1 : 2
    } else if (match.match === 'tcpFlags' || match.match === 'syn') {
      const [mask, set] = match.match === 'syn' ? [['FIN', 'SYN', 'RST', 'ACK'], ['SYN']] : [match.mask, match.set]
      info.u8(9, bitsOf(tcpFlags, mask)).u8(10, bitsOf(tcpFlags, set))
      if (not) inverse |= 4
    }
  }
  return [protocol === 6 ? xtMatch('tcp', 0, info.u8(11, inverse)) : xtMatch('udp', 0, shortened(info, inverse))]
}

function putPorts(info: Structure, at: number, text: string): void {
  const [first = 0, last = first] = text.split(':').map(Number)
  info.u16(at, first).u16(at + 2, last)
}

/** Encodes the ports of dccp and sctp. In their structures, the destination ports come before the source ports. */
function portModuleExpressions(module: keyof typeof portModules, matches: readonly Match[]): Expression[] {
  const offsets = portModules[module]
  const info = new Structure(offsets.size)
  let [checked, inverse] = [0, 0]
  for (const match of matches) {
    if (match.match !== 'sport' && match.match !== 'dport') continue
    const [at, bit] = match.match === 'sport' ? [4, 1] : [0, 2]
    putPorts(info, at, match.ports)
    checked |= bit
    if (match.not === true) inverse |= bit
  }
  for (const at of offsets.unused) info.u8(at, UNUSED)
  return [xtMatch(module, 0, info.u16(offsets.checked, checked).u16(offsets.inverse, inverse))]
}

function shortened(tcp: Structure, inverse: number): Structure {
  return new Structure(10).set(0, tcp.bytes.subarray(0, 8)).u8(8, inverse)
}

/** Encodes an interface for a comparison: a whole name with its NUL byte, or only the prefix before `+`. */
export function interfaceExpressions(match: Match & { match: 'in' | 'out' }): Expression[] {
  const load = loadInterface[match.match]
  if (match.name === '+') return match.not === true ? [load, compare(Buffer.from(NO_INTERFACE), undefined)] : [load]
  const text = match.name.endsWith('+') ? match.name.slice(0, -1) : `${match.name}\0`
  return [load, compare(Buffer.from(text), match.not)]
}

/** Encodes an address for a comparison. Only a prefix length that is not a multiple of 8 needs a mask. */
export function addressExpressions(match: Match & { match: 'src' | 'dst' }, family: Family): Expression[] | undefined {
  const prefix = parsePrefix(forFamily(match.address, family))
  if (prefix === undefined) return undefined
  const { length } = prefix
  if (length === 0) return match.not === true ? undefined : []
  const bytes = length === prefix.bytes.length * 8 ? prefix.bytes : networkAddress(prefix)
  const offset = addressOffsets[family][match.match]
  if (length % 8 === 0) {
    return [loadNetwork(offset, length / 8), compare(bytes.subarray(0, length / 8), match.not)]
  }
  const mask = bytes.map((_, i) => (0xff00 >> Math.min(8, Math.max(0, length - 8 * i))) & 0xff)
  return [loadNetwork(offset, bytes.length), maskWith(mask), compare(bytes, match.not)]
}
