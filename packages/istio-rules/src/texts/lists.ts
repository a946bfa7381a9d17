import { quote } from '@cni/types'
import { listEntries } from '../pod/list-entries.ts'
import { MAX_ID } from '../pod/owner-groups.ts'
import { type IpRanges, ipRanges, ports } from '../pod/validators.ts'

type PortOrRange = number | `${number}:${number}`

/** Splits a comma list. Keeps duplicates, because the rules must equal Istio's rules. */
const items = (list: string): readonly string[] =>
  listEntries(list)
    .map((item) => item.trim())
    .filter((item) => item !== '')

/** Parses one port of a command-line value. */
export function onePort(text: string): number {
  const [port, ...more] = text.includes(',') ? [] : ports(text)
  if (port === undefined || more.length > 0) throw new Error('expected one port')
  return port
}

/** Parses a comma list of ports, and of port ranges in iptables' notation (`8000:8010`). */
export const portList = (list: string): readonly PortOrRange[] => items(list).flatMap(portOrRange)

/** Parses `*` for all ports, or a comma list of ports and port ranges. */
export const portListOrAll = (list: string): '*' | readonly PortOrRange[] => (list === '*' ? list : portList(list))

function portOrRange(item: string): readonly PortOrRange[] {
  const range = /^(\d+):(\d+)$/.exec(item)
  if (range === null) return ports(item)
  const [from = 0, to = 0] = range.slice(1).flatMap((end) => ports(end))
  if (from > to) throw new Error(`the range ${item} ends before it begins`)
  return [`${from}:${to}`]
}

/** Parses a comma list of IP ranges. Returns the ranges by family. */
export function rangeList(list: string): IpRanges {
  const parsed = items(list).map((item) => ipRanges(item))
  return { ipv4: parsed.flatMap(({ ipv4 }) => ipv4), ipv6: parsed.flatMap(({ ipv6 }) => ipv6) }
}

/** Parses `*` for all addresses, or a comma list of IP ranges. */
export const rangeListOrAll = (list: string): '*' | IpRanges => (list === '*' ? list : rangeList(list))

/** Parses a comma list of interface names. A final `+` is iptables' wildcard. */
export const interfaceList = (list: string): readonly string[] => items(list).map(interfaceName)

function interfaceName(name: string): string {
  if (/^(?!\.{1,2}$)[A-Za-z0-9_.][A-Za-z0-9_.:@%~=-]{0,14}$|^[A-Za-z0-9_.][A-Za-z0-9_.:@%~=-]{0,13}\+$/.test(name)) {
    return name
  }
  throw new Error(`${quote(name)} is not the name of an interface (1 to 15 characters)`)
}

/** Parses a comma list of user or group IDs, ID ranges (`1000:2000`) or names. */
export const ownerList = (list: string): readonly (number | string)[] => items(list).map(owner)

function owner(item: string): number | string {
  if (/^(?:0|[1-9]\d{0,9})$/.test(item) && Number(item) <= MAX_ID) return Number(item)
  const [, from, to] = /^(0|[1-9]\d{0,9})-([1-9]\d{0,9})$/.exec(item) ?? []
  if (from !== undefined && Number(from) <= Number(to) && Number(to) <= MAX_ID) return item
  if (/^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/.test(item)) return item
  throw new Error(`${quote(item)} is not an id from 0 to ${MAX_ID}, a range such as 1000-2000, or a name`)
}

/** Parses a decimal number of up to 32 bits. */
export function decimal(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= 0xffff_ffff) return Number(text)
  throw new Error('expected a decimal number of 32 bits')
}
