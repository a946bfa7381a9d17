import { formatAddress } from '@cni/types/ip'
import { tcpFlags } from '../rules/words.ts'
import { hex } from '../text/numbers.ts'
import { wordsOf } from '../xt/words.ts'

/** Joins the words of iptables options with blanks. Omits empty words. */
export const words = (...all: readonly string[]): string => all.filter((word) => word !== '').join(' ')

/** Prints an iptables option as `--option value`, or as `! --option value` if it is negated. */
export const option = (not: boolean, name: string, value: string | number): string =>
  `${not ? '! ' : ''}${name} ${value}`

/** Prints a range as iptables does, or a single value if both ends are equal. */
export const span = (first: number | string, last: number | string, separator: string): string =>
  first === last ? String(first) : `${first}${separator}${last}`

/** Prints the port option `--sport` or `--dport`; `''` if the range covers all ports. */
export const portOption = (not: boolean, name: string, first: number, last: number): string =>
  first === 0 && last === 65535 && !not ? '' : option(not, name, span(first, last, ':'))

/** Prints the option `--tcp-flags`; `''` for an empty mask, `undefined` for bits without a flag name. */
export function flagsOption(not: boolean, mask: number, set: number): string | undefined {
  if (mask === 0 && !not) return set === 0 ? '' : undefined
  const [maskFlags, setFlags] = [wordsOf(tcpFlags, mask), wordsOf(tcpFlags, set)]
  if (maskFlags === undefined || setFlags === undefined) return undefined
  return option(not, '--tcp-flags', `${maskFlags.join(',') || 'NONE'} ${setFlags.join(',') || 'NONE'}`)
}

/** Prints an address as glibc does. An IPv6 address whose first 96 bits are zero ends in IPv4 notation. */
export function addressText(bytes: Uint8Array): string {
  const dotted = bytes.length === 16 && bytes.subarray(0, 12).every((byte) => byte === 0) && (bytes[12] || bytes[13])
  return dotted ? `::${formatAddress(bytes.subarray(12))}` : formatAddress(bytes)
}

/** Prints a packet mark, followed by its mask unless the mask covers all bits. */
export const maskedText = (value: number, mask: number): string =>
  mask === 0xffffffff ? hex(value) : `${hex(value)}/${hex(mask)}`
