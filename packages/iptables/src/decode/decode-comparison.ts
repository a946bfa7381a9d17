import type { Expressions } from '@cni/nftables/wire'
import { protocolName } from '../parse/node-names.ts'
import type { Family } from '../rules/model.ts'
import { addressOffsets, NO_INTERFACE } from '../xt/expressions.ts'
import { addressText, flagsOption, maskedText, option, portOption } from './option-text.ts'
import { savedName } from './saved-word.ts'

/** Comparison in an nf_tables rule: a packet's field, loaded into a register, against constant data. */
export interface Comparison {
  readonly loaded: Expressions['meta' | 'payload']
  readonly mask: Uint8Array | undefined
  readonly op: Expressions['cmp']['op']
  readonly data: Uint8Array
  /** Upper end of a range, if the comparison is a range. In that case, `data` is the lower end. */
  readonly to?: Uint8Array
}

/** General options of iptables rules, in the order in which `iptables-save` prints them. */
export const generalOptions = ['-s', '-d', '-i', '-o', '-p'] as const
export type GeneralOption = (typeof generalOptions)[number]

/** Options for TCP and UDP fields, in the order in which `iptables-save` prints them. */
export const transportOptions = ['--sport', '--dport', '--tcp-flags'] as const
export type TransportOption = (typeof transportOptions)[number]

/** iptables option decoded from a comparison, with its negation and its value. */
export interface OptionText {
  readonly option: GeneralOption | TransportOption | '--mark'
  readonly text: string
}

/** Translates an nf_tables comparison to iptables options; `undefined` if iptables has no such option. */
export function optionsFor(comparison: Comparison, family: Family): readonly OptionText[] | undefined {
  const { loaded, op, mask, data, to } = comparison
  if (mask !== undefined && mask.length !== data.length) return undefined
  if (loaded.name === 'payload') {
    if (data.length !== loaded.len || (to !== undefined && to.length !== loaded.len)) return undefined
    if (loaded.base === 'transport') return transport(comparison, loaded.offset)
    if (loaded.base !== 'network') return undefined
  }
  if ((op !== 'eq' && op !== 'neq') || to !== undefined) return undefined
  const not = op === 'neq'
  if (loaded.name === 'payload') {
    return loaded.offset === 9 && family === 'ipv4' && mask === undefined
      ? protocol(not, data)
      : address(loaded.offset, not, mask, data, family)
  }
  if (loaded.key === 'mark') {
    if (data.length !== 4) return undefined
    return optionTexts('--mark', not, maskedText(u32(data), mask === undefined ? ALL : u32(mask)))
  }
  if (mask !== undefined) return undefined
  switch (loaded.key) {
    case 'l4proto':
      return protocol(not, data)
    case 'iifname':
      return networkInterface('-i', not, data)
    case 'oifname':
      return networkInterface('-o', not, data)
    default:
      return undefined
  }
}

// internal

const ALL = 0xffffffff
const TCP_FLAGS = 13

const be16 = (bytes: Uint8Array) => ((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)
const u32 = (bytes: Uint8Array) => Buffer.from(bytes).readUInt32LE(0)

const optionTexts = (name: GeneralOption | '--mark', not: boolean, value: string): readonly OptionText[] => [
  { option: name, text: option(not, name, value) },
]

function protocol(not: boolean, data: Uint8Array): readonly OptionText[] | undefined {
  const [number = 0] = data
  return data.length === 1 && number !== 0 ? optionTexts('-p', not, protocolName(number)) : undefined
}

function networkInterface(name: '-i' | '-o', not: boolean, data: Uint8Array): readonly OptionText[] | undefined {
  const text = Buffer.from(data).toString()
  // Refuses an interface name that is not valid UTF-8, because several invalid names would give equal texts.
  if (!/^[^\0\ufffd]+\0*$/.test(text)) return undefined
  if (text === NO_INTERFACE && !not) return optionTexts(name, true, '+')
  return optionTexts(name, not, savedName(text.endsWith('\0') ? text.replace(/\0+$/, '') : `${text}+`))
}

function address(
  offset: number,
  not: boolean,
  mask: Uint8Array | undefined,
  data: Uint8Array,
  family: Family,
): readonly OptionText[] | undefined {
  const { src, dst, size } = addressOffsets[family]
  const name = offset === src ? '-s' : offset === dst ? '-d' : undefined
  if (name === undefined || data.length > size || (mask !== undefined && data.length !== size)) return undefined
  // A comparison with bits outside the mask never matches, and iptables cannot express it.
  if (mask?.some((byte, i) => ((data[i] ?? 0) & ~byte) !== 0) === true) return undefined
  const length = mask === undefined ? 8 * data.length : prefixLength(mask)
  const bytes = new Uint8Array(size)
  bytes.set(data)
  return length === undefined ? undefined : optionTexts(name, not, `${addressText(bytes)}/${length}`)
}

/** Prefix length of an address mask; `undefined` for any other mask. */
function prefixLength(mask: Uint8Array): number | undefined {
  const bits = Array.from(mask, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return /^1+0*$/.test(bits) ? bits.lastIndexOf('1') + 1 : undefined
}

function transport({ op, mask, data, to }: Comparison, offset: number): readonly OptionText[] | undefined {
  const not = op === 'neq'
  if (mask !== undefined) {
    const isFlags = offset === TCP_FLAGS && data.length === 1 && (not || op === 'eq')
    const text = isFlags ? flagsOption(not, mask[0] ?? 0, data[0] ?? 0) : undefined
    return text === undefined ? undefined : [{ option: '--tcp-flags', text }]
  }
  const source = be16(data)
  if (data.length === 4 && offset === 0 && (not || op === 'eq') && to === undefined) {
    // Prints the negated comparison of both ports inexactly, as iptables 1.8.9 does.
    const destination = be16(data.subarray(2))
    return [port('--sport', not, source, source), port('--dport', not, destination, destination)]
  }
  const name = offset === 0 ? '--sport' : offset === 2 ? '--dport' : undefined
  const [first, last] = to === undefined ? portsOf(op, source) : [source, be16(to)]
  return name === undefined || data.length !== 2 || first > last ? undefined : [port(name, not, first, last)]
}

const port = (name: '--sport' | '--dport', not: boolean, first: number, last: number): OptionText => ({
  ...{ option: name, text: portOption(not, name, first, last) },
})

/** Range of ports for which a comparison is true: for example, 0 to 79 for "less than 80" (`lt`). */
function portsOf(op: Expressions['cmp']['op'], value: number): readonly [first: number, last: number] {
  switch (op) {
    case 'lt':
      return [0, value - 1]
    case 'lte':
      return [0, value]
    case 'gt':
      return [value + 1, MAX_PORT]
    case 'gte':
      return [value, MAX_PORT]
    default:
      return [value, value]
  }
}

const MAX_PORT = 65535
