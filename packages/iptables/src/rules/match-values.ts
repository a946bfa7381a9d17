import type { Packet } from '@cni/types/packet'
import { invalid } from '../errors.ts'
import { parseNetwork } from './address.ts'
import type { SocketOptions, Statistic } from './match-options.ts'
import type { Family, Match } from './model.ts'
import { checkInteger } from './numbers.ts'
import type { RuleWords } from './rule-words.ts'
import { checkWords, tcpFlags } from './words.ts'

/** Validates an address range `from-to`, or a single address, of `family`. */
export function checkRange(text: string, family: Family, what: string): string {
  const ends = typeof text === 'string' ? text.split('-') : []
  const [from, to] = [ends[0], ends[1] ?? ends[0]].map((end) => bytes(end, family))
  if (ends.length > 2 || from === undefined || to === undefined) {
    const sample = family === 'ipv4' ? '10.0.0.1-10.0.0.9' : 'fd00::1-fd00::9'
    invalid(`${what}: ${JSON.stringify(text)} is not a range of ${family} addresses, such as ${sample}`)
  }
  if (isAfter(from, to)) invalid(`${what}: the range ${text} ends before it begins`)
  return text
}

/** True if address `a` is higher than address `b`: a range from `a` to `b` is then invalid. */
function isAfter(a: Uint8Array, b: Uint8Array): boolean {
  const at = a.findIndex((byte, index) => byte !== b[index])
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0)
}

/** Validates an Ethernet address. */
export function checkMac(text: string): string {
  if (typeof text !== 'string' || !/^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}$/.test(text)) {
    invalid(`mac: ${JSON.stringify(text)} is not an Ethernet address, such as 02:42:ac:11:00:02`)
  }
  return text
}

/** Validates the name of an ipset. */
export function checkSetName(name: string, what: string): string {
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.][A-Za-z0-9_.:@+%=-]{0,30}$/.test(name)) {
    invalid(`${what}: ${JSON.stringify(name)} is not the name of an ipset (1 to 31 letters, digits or _ . : @ + % = -)`)
  }
  return name
}

/** Validates the directions (`src`, `dst`) for an ipset match: one word per dimension of the set. */
export function checkDirs(dirs: readonly RuleWords['setDir'][], what: string): readonly RuleWords['setDir'][] {
  for (const dir of dirs) {
    if (dir !== 'src' && dir !== 'dst') invalid(`${what}: ${JSON.stringify(dir)} is neither 'src' nor 'dst'`)
  }
  if (dirs.length < 1 || dirs.length > 6)
    invalid(`${what}: got ${dirs.length} directions; expected 1 to 6 of src and dst`)
  return Object.freeze([...dirs])
}

/** Validates a packet's link-layer type, such as unicast or broadcast. */
export function checkPktType(type: NonNullable<Packet['packetType']>): NonNullable<Packet['packetType']> {
  if (type !== 'unicast' && type !== 'broadcast' && type !== 'multicast') {
    invalid(`pktType: ${JSON.stringify(type)} is not one of unicast, broadcast, multicast`)
  }
  return type
}

/** Validates the options of the socket match and returns their iptables spellings. */
export function checkSocket({ transparent, nowildcard, restoreSkmark }: SocketOptions): readonly string[] {
  return Object.freeze([
    ...(transparent === true ? ['transparent'] : []),
    ...(nowildcard === true ? ['nowildcard'] : []),
    ...(restoreSkmark === true ? ['restore-skmark'] : []),
  ])
}

/** Validates the rate and the burst of a `limit` match against the kernel's limits. */
export function checkLimit(rate: string, burst?: number): Match {
  const [, count, unit = ''] = (typeof rate === 'string' ? /^([1-9]\d{0,8})\/([a-z]+)$/.exec(rate) : null) ?? []
  const seconds = Object.hasOwn(unitSeconds, unit) ? (unitSeconds[unit] ?? 0) : 0
  if (seconds === 0) invalid(`limit: ${JSON.stringify(rate)} is not a rate such as 3/min (sec, min, hour or day)`)
  const each = seconds / Number(count)
  if (each < 1e-4) invalid(`limit: ${rate} is faster than the 10000/sec that the kernel can count`)
  const size = burst === undefined ? 5 : checkInteger(burst, 1, 10_000, 'limit burst')
  // Rate and burst must not overflow the 32-bit credit counter of the kernel.
  if (each * size > 134_217) {
    invalid(`limit: a burst of ${size} at ${rate} takes more than 37 hours to refill, which overflows; lower the burst`)
  }
  return burst === undefined ? { match: 'limit', rate } : { match: 'limit', rate, burst }
}

/** Validates the options of the statistic match. */
export function checkStatistic(options: Statistic): Match {
  if (!('probability' in options)) {
    const every = checkInteger(options.every, 1, 0xffffffff, 'statistic every')
    return { match: 'nth', every, packet: checkInteger(options.packet ?? 0, 0, every - 1, 'statistic packet') }
  }
  const { probability } = options
  // Refuses a probability below 2^-31: the kernel compares the probability with 31 random bits.
  if (typeof probability !== 'number' || !(probability >= 2 ** -31 && probability <= 1)) {
    invalid(
      `statistic: ${JSON.stringify(probability)} is not a probability above 0 (at least 1 in 2147483648) and up to 1`,
    )
  }
  return { match: 'random', probability }
}

/** Validates the TCP flags of a match. `set` must be a part of `mask`. */
export function checkTcpFlags(
  mask: NonNullable<Packet['tcpFlags']> | 'ALL',
  set: NonNullable<Packet['tcpFlags']> | 'ALL' | 'NONE',
): Match {
  const all = checkWords(mask === 'ALL' ? tcpFlags : mask, tcpFlags, 'tcpFlags')
  const none = set === 'NONE' || set.length === 0
  const some = none ? [] : checkWords(set === 'ALL' ? tcpFlags : set, tcpFlags, 'tcpFlags')
  const odd = some.filter((flag) => !all.includes(flag))
  if (odd.length > 0)
    invalid(
      `tcpFlags: ${odd.join(',')} is not in the mask (${all.join(',')}), so the rule never matches; add it to the mask`,
    )
  return { match: 'tcpFlags', mask: all, set: Object.freeze(some) }
}

// internal

const unitSeconds: Readonly<Record<string, number>> = {
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3600,
  day: 86_400,
}

const bytes = (text: string | undefined, family: Family) =>
  text === undefined || text.includes('/') ? undefined : parseNetwork(text, family)?.bytes
