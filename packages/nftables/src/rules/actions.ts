import { parseAddress } from '@cni/types/ip'
import { invalid } from '../wire/nft-error.ts'
import { compareBytes } from './compare-bytes.ts'
import { shown, wrong } from './compared.ts'
import { dataTypes } from './data-type.ts'
import { checkName, checkText } from './names.ts'
import { isPoint } from './spans.ts'
import type { Action, LogFlag, MarkValue, Nat, NatFlag, Redirect, Reject, Tproxy } from './statement.ts'
import type { Range } from './values.ts'

/** NAT flags in nft's words, with the bits that the kernel uses. */
export const natFlags: readonly (readonly [NatFlag, number])[] = [
  ['random', 4],
  ['persistent', 8],
  ['fully-random', 16],
]

/** Flags of the `log` statement in nft's words, with the bits that the kernel uses. */
export const logFlags: readonly (readonly [LogFlag, number])[] = [
  ['tcp sequence', 1],
  ['tcp options', 2],
  ['ip options', 4],
  ['skuid', 8],
  ['ether', 32],
]

/** Length in seconds of each time unit that a `limit` statement's rate can have. */
export const limitUnits = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 } as const

const MAX_PREFIX_BYTES = 127
const ALL = 0xffff_ffff

/**
 * Validates an action of a rule and returns its canonical form, frozen. Throws `NftError('INVALID')`; `where` begins
 * the message.
 */
export function canonicalAction(action: Action, where: string): Action {
  return Object.freeze(checked(action, `${where}: ${action.kind}`))
}

// internal

function checked(action: Action, what: string): Action {
  switch (action.kind) {
    case 'counter': {
      const { packets = 0n, bytes = 0n } = action
      return {
        kind: 'counter',
        ...unlessDefault('packets', checkCounter(packets, what), 0n),
        ...unlessDefault('bytes', checkCounter(bytes, what), 0n),
      }
    }
    case 'mark set':
    case 'ct mark set':
      return { kind: action.kind, to: markValue(action.to, what) }
    case 'ct zone set':
      return { kind: 'ct zone set', to: checkInteger(action.to, 0, 0xffff, what) }
    case 'nftrace set':
      return {
        kind: 'nftrace set',
        to: action.to === 0 || action.to === 1 ? action.to : wrong(action.to, '0 or 1', what),
      }
    case 'notrack':
    case 'accept':
    case 'drop':
    case 'return':
    case 'continue':
      return { kind: action.kind }
    case 'jump':
    case 'goto':
      return { kind: action.kind, chain: checkName(action.chain, what) }
    case 'limit': {
      const { rate, per, burst, of, over } = action
      if (!Object.hasOwn(limitUnits, per)) wrong(per, `one of ${Object.keys(limitUnits).join(', ')}`, what)
      const limits = {
        rate: checkInteger(rate, 1, Number.MAX_SAFE_INTEGER, what),
        burst: checkInteger(burst, 0, ALL, what),
      }
      return { kind: 'limit', ...limits, per, ...unlessDefault('of', of), ...(over ? { over } : undefined) }
    }
    case 'log': {
      const { prefix, level, flags, group, snaplen, threshold } = action
      if (group === undefined && (snaplen !== undefined || threshold !== undefined)) {
        invalid(`${what}: snaplen and threshold need the group of a netlink listener`)
      }
      if (group !== undefined && (level !== undefined || flags !== undefined)) {
        invalid(`${what}: level and flags are for the kernel's log and cannot be combined with group`)
      }
      return {
        kind: 'log',
        ...(prefix === undefined ? undefined : { prefix: checkText(prefix, MAX_PREFIX_BYTES, what, 1) }),
        // The canonical form of `log` omits level 4, the kernel's default, as nft does.
        ...(level === undefined ? undefined : unlessDefault('level', checkInteger(level, 0, 8, what), 4)),
        ...flagsOf(flags, logFlags, what),
        ...(group === undefined ? undefined : { group: checkInteger(group, 0, 0xffff, what) }),
        ...(snaplen === undefined ? undefined : unlessDefault('snaplen', checkInteger(snaplen, 0, ALL, what), 0)),
        ...(threshold === undefined
          ? undefined
          : unlessDefault('threshold', checkInteger(threshold, 0, 0xffff, what), 0)),
      }
    }
    case 'snat':
    case 'dnat':
      return nat(action, what)
    case 'redirect':
    case 'masquerade':
      return redirect(action, what)
    case 'tproxy':
      return tproxy(action, what)
    case 'reject':
      return reject(action, what)
    default:
      return invalid(`${what}: unknown statement ${shown(action)}`)
  }
}

function nat({ kind, family, address, port, flags }: Nat, what: string): Nat {
  if (address === undefined && port === undefined) invalid(`${what}: an address or a port is needed`)
  return {
    ...{ kind, family: familyOf(family, what) },
    ...(address === undefined ? undefined : { address: one(address, (each) => addressOf(each, family, what), what) }),
    ...(port === undefined ? undefined : { port: one(port, (each) => checkInteger(each, 1, 0xffff, what), what) }),
    ...flagsOf(flags, natFlags, what),
  }
}

function redirect({ kind, port, flags }: Redirect, what: string): Redirect {
  return {
    kind,
    ...(port === undefined ? undefined : { port: one(port, (each) => checkInteger(each, 1, 0xffff, what), what) }),
    ...flagsOf(flags, natFlags, what),
  }
}

function tproxy({ kind, family, address, port }: Tproxy, what: string): Tproxy {
  if (address === undefined && port === undefined) invalid(`${what}: an address or a port is needed`)
  if (family === undefined && address !== undefined) invalid(`${what}: an address needs its family`)
  return {
    kind,
    ...(family === undefined ? undefined : { family: familyOf(family, what) }),
    ...(family === undefined || address === undefined ? undefined : { address: addressOf(address, family, what) }),
    ...(port === undefined ? undefined : { port: checkInteger(port, 1, 0xffff, what) }),
  }
}

function reject(action: Reject, what: string): Reject {
  if (action.with === 'tcp reset') return { kind: 'reject', with: 'tcp reset' }
  if (!['icmp', 'icmpv6', 'icmpx'].includes(action.with)) wrong(action.with, 'icmp, icmpv6, icmpx or tcp reset', what)
  return {
    kind: 'reject',
    with: action.with,
    code: checkInteger(action.code, 0, action.with === 'icmpx' ? 3 : 255, what),
  }
}

function markValue(to: MarkValue, what: string): MarkValue {
  if (typeof to !== 'object') return checkInteger(to, 0, ALL, what)
  const { of, and = ALL, xor = 0 } = to
  if (of !== 'mark' && of !== 'ct mark') wrong(of, 'mark or ct mark', what)
  const kept = {
    ...unlessDefault('and', checkInteger(and, 0, ALL, what), ALL),
    ...unlessDefault('xor', checkInteger(xor, 0, ALL, what), 0),
  }
  return Object.freeze({ of, ...kept })
}

const familyOf = (family: 'ip' | 'ip6', what: string) =>
  family === 'ip' || family === 'ip6' ? family : wrong(family, 'ip or ip6', what)

function addressOf(address: string, family: 'ip' | 'ip6', what: string): string {
  const type = family === 'ip' ? dataTypes.ipv4_addr : dataTypes.ipv6_addr
  const span = type.write(address)
  if (span === undefined || !isPoint(span)) return wrong(address, `an address of family ${family}`, what)
  const read = type.read(span)
  return typeof read === 'string' ? read : address
}

function one<T extends string | number>(given: T | Range<T>, check: (value: T) => T, what: string): T | Range<T> {
  if (typeof given !== 'object') return check(given)
  const [from, to] = [check(given.from), check(given.to)]
  if (isAfter(from, to)) invalid(`${what}: the range ${from} to ${to} ends before it begins`)
  return from === to ? from : Object.freeze({ from, to })
}

function isAfter(a: string | number, b: string | number): boolean {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) > Number(b)
  const [from, to] = [parseAddress(a), parseAddress(b)]
  return from !== undefined && to !== undefined && compareBytes(from, to) > 0
}

function flagsOf<F extends string>(
  flags: readonly F[] | undefined,
  known: readonly (readonly [F, number])[],
  what: string,
): { readonly flags?: readonly F[] } {
  for (const flag of flags ?? []) {
    if (!known.some(([word]) => word === flag)) wrong(flag, `one of ${known.map(([word]) => word).join(', ')}`, what)
  }
  const list = known.flatMap(([word]) => (flags?.includes(word) ? [word] : []))
  return list.length === 0 ? {} : { flags: Object.freeze(list) }
}

/** Object with only the property `key`; empty for undefined or the default. */
function unlessDefault<K extends string, T>(key: K, value: T, fallback?: T): { readonly [P in K]?: NonNullable<T> } {
  // The type cast is necessary, because TypeScript infers a string index for the computed property name.
  return value === undefined || value === fallback ? {} : ({ [key]: value } as { readonly [P in K]?: NonNullable<T> })
}

function checkInteger(value: number, least: number, most: number, what: string): number {
  const fits = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
  return fits ? value : wrong(value, `an integer from ${least} to ${most}`, what)
}

function checkCounter(value: bigint, what: string): bigint {
  return typeof value === 'bigint' && value === BigInt.asUintN(64, value)
    ? value
    : wrong(value, 'an unsigned 64-bit bigint', what)
}
