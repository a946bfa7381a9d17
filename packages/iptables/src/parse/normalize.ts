import { canonicalNetwork, parseNetwork } from '../rules/address.ts'
import { icmpNumber } from '../rules/icmp-types.ts'
import type { Family } from '../rules/model.ts'
import { tcpFlags } from '../rules/words.ts'
import { accountId, protocolId } from './node-names.ts'
import { probability, rate } from './normalize-rate.ts'
import { synonyms } from './options.ts'

/** Option of a match with canonical name and values; `undefined` if the option has no effect. */
export interface Normal {
  readonly option: string
  readonly values: readonly string[]
}

/** Converts an option of a match to its canonical spelling. Equal options have equal canonical spellings. */
export function normalizeMatch(
  module: string,
  option: string,
  values: readonly string[],
  not: boolean,
  family: Family,
): Normal | undefined {
  const name = synonyms.get(option) ?? option
  const value = values[0] ?? ''
  const one = (text: string): Normal => ({ option: name, values: [text] })
  switch (`${module}.${name}`) {
    case '.p':
      return protocolId(value) === '0' && !not ? undefined : one(protocolId(value))
    case '.s':
    case '.d': {
      const text = network(value, family)
      return text.endsWith('/0') && !not ? undefined : one(text)
    }
    case '.i':
    case '.o':
      return value === '+' && !not ? undefined : one(value)
    case 'owner.uid-owner':
    case 'owner.gid-owner':
      return one(range(accountId(name === 'uid-owner' ? 'passwd' : 'group', value), '-'))
    case 'mark.mark':
    case 'connmark.mark':
      return one(mark(value))
    case 'conntrack.ctstate':
    case 'state.state':
    case 'addrtype.src-type':
    case 'addrtype.dst-type':
    case 'multiport.sports':
    case 'multiport.dports':
    case 'multiport.ports':
      return one(value.split(',').sort().join(','))
    case 'mac.mac-source':
      return one(value.toLowerCase())
    case 'icmp.icmp-type':
    case 'icmp6.icmpv6-type': {
      const type = icmpNumber(value, family)
      return type === 'any' && !not ? undefined : one(type)
    }
    case 'iprange.src-range':
    case 'iprange.dst-range':
      return one(addressRange(value, family, true))
    case 'pkttype.pkt-type':
      return one(value === 'host' ? 'unicast' : value)
    case 'limit.limit':
      return one(rate(value))
    case 'limit.limit-burst':
      return number(value) === 5 ? undefined : one(value)
    case 'statistic.probability':
      return one(probability(value))
    default:
  }
  if (name === 'sport' || name === 'dport') {
    const ports = portRange(value)
    return ports === '0:65535' && !not ? undefined : one(ports)
  }
  if (name === 'syn') return { option: 'tcp-flags', values: ['ACK,FIN,RST,SYN', 'SYN'] }
  if (name === 'tcp-flags') {
    const [mask = 'NONE', set = 'NONE'] = values.map(flagList)
    return mask === 'NONE' && set === 'NONE' && !not ? undefined : { option: name, values: [mask, set] }
  }
  return { option: name, values }
}

/** Converts an address or network to its canonical spelling. Returns other text unchanged. */
export function network(text: string, family: Family): string {
  const slash = text.indexOf('/')
  const dotted = slash === -1 ? undefined : text.slice(slash + 1)
  const cidr = dotted?.includes('.') === true ? `${text.slice(0, slash)}/${maskLength(dotted)}` : text
  const parsed = parseNetwork(cidr, family)
  return parsed === undefined ? text : canonicalNetwork(parsed)
}

/** Converts an address to its canonical spelling. Returns other text unchanged. */
export function address(text: string, family: Family): string {
  const parsed = parseNetwork(text, family)
  return parsed === undefined ? text : parsed.bytes.join('.')
}

/** Canonical spelling of the address range `from-to`. If `both` is true, prints both ends even if they are equal. */
export function addressRange(text: string, family: Family, both: boolean): string {
  const [from = '', to = from] = text.split('-').map((end) => address(end, family))
  return from === to && !both ? from : `${from}-${to}`
}

/** Prints a mark as `value/mask` in hexadecimal, always with the mask. */
export function mark(text: string): string {
  const [value, mask] = text.split('/')
  return `${hex(number(value))}/${hex(mask === undefined ? 0xffffffff : number(mask))}`
}

/** Parses a decimal, octal or hexadecimal number as C does; NaN for other text. */
export const number = (text: string | undefined): number => {
  if (text === undefined || !/^(0[xX][0-9a-fA-F]+|\d+)$/.test(text)) return Number.NaN
  return /^0[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number(text)
}

/** Prints an unsigned 32-bit number in hexadecimal. */
export const hex = (value: number): string => `0x${(value >>> 0).toString(16)}`

/** Shortens a range `a<sep>a` with equal ends to `a`. */
export function range(text: string, separator: string): string {
  const [from, to] = text.split(separator)
  return from !== undefined && from === to ? from : text
}

// internal

function flagList(text: string): string {
  const flags = text === 'ALL' ? [...tcpFlags] : text.split(',').filter((flag) => flag !== 'NONE')
  return flags.length === 0 ? 'NONE' : flags.sort().join(',')
}

function portRange(text: string): string {
  const [from, to] = text.split(':')
  if (to === undefined) return text
  return range(`${from === '' ? '0' : from}:${to === '' ? '65535' : to}`, ':')
}

/** Converts a netmask such as 255.255.0.0 to its prefix length, 16. A mask with holes stays unchanged. */
function maskLength(dotted: string): number | string {
  const bytes = parseNetwork(dotted, 'ipv4')?.bytes
  if (bytes === undefined) return dotted
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return /^1*0*$/.test(bits) ? bits.indexOf('0') + (bits.includes('0') ? 0 : 33) : dotted
}
