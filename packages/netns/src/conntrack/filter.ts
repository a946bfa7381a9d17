import { formatAddress, type IpFamily, parseAddress } from '@cni/types/ip'
import { NetnsError } from '../handle/netns-error.ts'
import { checkInteger, describeValue } from '../rtnl/check.ts'
import type { ConntrackEntry, ConntrackFilter, ConntrackTuple, TupleFilter } from './entry.ts'
import { protocolName, protocolNumber } from './protocol.ts'

/**
 * Validated filter for connections. Addresses and protocols are spelled as in `ConntrackEntry`, so that `===` can
 * compare them.
 */
export interface CheckedFilter {
  readonly family?: IpFamily
  readonly protocol?: string | number
  readonly zone?: number
  readonly original: Partial<ConntrackTuple>
  readonly reply: Partial<ConntrackTuple>
}

/** Validates a filter for connections. Throws `NetnsError('INVALID')` with the invalid member's name and value. */
export function checkFilter({ family, protocol, zone, original, reply }: ConntrackFilter): CheckedFilter {
  const families = new Set<IpFamily>()
  if (family !== undefined) families.add(checkFamily(family))
  const tuples = { original: checkTuple(original, 'original', families), reply: checkTuple(reply, 'reply', families) }
  if (families.size > 1) throw new NetnsError('INVALID', 'family: the filter has IPv4 and IPv6; give one family')
  const [only] = families
  return {
    ...(only === undefined ? {} : { family: only }),
    ...(protocol === undefined ? {} : { protocol: protocolName(protocolNumber(protocol)) }),
    ...(zone === undefined ? {} : { zone: checkInteger(zone, 0, 0xffff, 'zone') }),
    ...tuples,
  }
}

/** Throws for an empty filter, because a deletion with an empty filter would delete every connection. */
export function checkNotEmpty(filter: CheckedFilter): CheckedFilter {
  const { original, reply, ...rest } = filter
  if (Object.keys({ ...original, ...reply, ...rest }).length > 0) return filter
  throw new NetnsError(
    'INVALID',
    'Delete connections: the filter is empty; give a family, a protocol, a port or an address',
  )
}

/** True if a connection matches every given member of the filter. */
export function matches(entry: ConntrackEntry, filter: CheckedFilter): boolean {
  const { family, protocol, zone, original, reply } = filter
  return (
    (family === undefined || family === entry.family) &&
    (protocol === undefined || protocol === entry.protocol) &&
    (zone === undefined || zone === entry.zone) &&
    hasAll(entry.original, original) &&
    hasAll(entry.reply, reply)
  )
}

/** Default of the option `limit`: the largest number of connections that a list may have. */
const LIMIT = 65_536

/** Validates the option `limit`, the largest number of connections that a list may have. */
export const checkLimit = (limit: number = LIMIT): number => checkInteger(limit, 1, 2 ** 32, 'limit')

/** Creates the error for a connection list that exceeds the option `limit`. */
export function tooMany(limit: number): NetnsError {
  return new NetnsError('TOO_MANY', `List connections: more than ${limit} match; narrow the filter, or raise limit`)
}

function hasAll(tuple: ConntrackTuple, { src, dst, sport, dport }: Partial<ConntrackTuple>): boolean {
  return (
    (src === undefined || src === tuple.src) &&
    (dst === undefined || dst === tuple.dst) &&
    (sport === undefined || sport === tuple.sport) &&
    (dport === undefined || dport === tuple.dport)
  )
}

function checkFamily(family: IpFamily): IpFamily {
  if (family === 'ipv4' || family === 'ipv6') return family
  throw new NetnsError('INVALID', `family: expected ipv4 or ipv6, got ${describeValue(family)}`)
}

function checkTuple(tuple: TupleFilter = {}, name: string, families: Set<IpFamily>): Partial<ConntrackTuple> {
  const address = (member: 'src' | 'dst') => {
    const text = tuple[member]
    if (text === undefined) return {}
    const bytes = typeof text === 'string' ? parseAddress(text) : undefined
    if (bytes === undefined) {
      throw new NetnsError('INVALID', `${name}.${member}: expected an IP address, got ${describeValue(text)}`)
    }
    families.add(bytes.length === 4 ? 'ipv4' : 'ipv6')
    return { [member]: formatAddress(bytes) }
  }
  const port = (member: 'sport' | 'dport') => {
    const number = tuple[member]
    return number === undefined ? {} : { [member]: checkInteger(number, 0, 0xffff, `${name}.${member}`) }
  }
  return { ...address('src'), ...address('dst'), ...port('sport'), ...port('dport') }
}
