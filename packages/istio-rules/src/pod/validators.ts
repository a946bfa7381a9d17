import { quote } from '@cni/types'
import { parsePrefix } from './ip.ts'
import { listEntries } from './list-entries.ts'

/** Interception mode: REDIRECT or TPROXY, by which inbound traffic reaches the proxy. */
type InterceptionMode = 'REDIRECT' | 'TPROXY'

/** IP prefixes by family, in canonical form. */
export interface IpRanges {
  readonly ipv4: readonly string[]
  readonly ipv6: readonly string[]
}

/** Validates an interception mode: exactly `REDIRECT` or `TPROXY`. */
export function interceptionMode(value: string): InterceptionMode {
  if (value === 'REDIRECT' || value === 'TPROXY') return value
  throw new Error('expected REDIRECT or TPROXY')
}

/** Parses a comma list of ports. Drops blanks around items. An empty value is an empty list. */
export function ports(value: string): readonly number[] {
  const entries = listEntries(value)
  if (value.trim() === '') return []
  return unique(entries.map((item) => port(item.trim())))
}

/** Parses `*` for all ports, or a comma list of ports. */
export function portsOrAll(value: string): '*' | readonly number[] {
  return value === '*' ? value : ports(value)
}

function port(item: string): number {
  if (item === '*') throw new Error('"*" is not possible here, write the ports as "80,443"')
  return unsigned(item, 65535, 'port')
}

/** Parses an unsigned decimal number up to `max`. `what` names the number in error messages. */
export function unsigned(item: string, max: number, what: string): number {
  if (item === '') throw new Error(`there is no ${what} between two commas`)
  // The pattern limits the digits, because JavaScript represents only numbers up to 2^53 exactly.
  const number = /^0*\d{1,10}$/.test(item) ? Number(item) : Number.NaN
  if (number <= max) return number
  throw new Error(`${quote(item)} is not a ${what} (0 to ${max})`)
}

/** Parses a comma list of IP prefixes `address/bits` without blanks. An empty value is an empty list. */
export function ipRanges(value: string): IpRanges {
  const prefixes = value === '' ? [] : listEntries(value).map(prefix)
  const of = (family: 'ipv4' | 'ipv6') => unique(prefixes.filter((p) => p.family === family).map((p) => p.cidr))
  return { ipv4: of('ipv4'), ipv6: of('ipv6') }
}

/** Parses `*` for all destinations, or a comma list of IP prefixes. */
export function ipRangesOrAll(value: string): '*' | IpRanges {
  return value === '*' ? value : ipRanges(value)
}

function prefix(item: string) {
  const parsed = parsePrefix(item)
  if (parsed !== undefined) return parsed
  if (item === '*') throw new Error('"*" is not possible here, write the ranges as "10.0.0.0/8,fd00::/8"')
  throw new Error(`${quote(item)} is not an IP range, write "10.0.0.0/8" or "fd00::/8" without blanks`)
}

/** Parses a comma list of interface names. Drops blanks around items. An empty value is an empty list. */
export function interfaces(value: string): readonly string[] {
  if (value === '') return []
  return unique(listEntries(value).map((item) => interfaceName(item.trim())))
}

function interfaceName(name: string): string {
  if (name === '') throw new Error('there is no interface name between two commas')
  if (name.length > 15) throw new Error(`${quote(name)} is longer than the 15 characters of an interface name`)
  // Refuses names that the kernel accepts but iptables misreads: "+" is a wildcard, and "-" begins an option.
  if (/^[a-zA-Z][\w.-]*$/.test(name)) return name
  throw new Error(`${quote(name)} is not an interface name (a letter, then letters, digits, "_", "." or "-")`)
}

/** Removes duplicates from a list. Keeps the order of first occurrences. */
export function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)]
}
