import { formatAddress } from '@cni/types/ip'
import { tcpFlags } from '../rules/words.ts'
import { hex } from '../text/numbers.ts'
import { wordsOf } from '../xt/words.ts'

/** Joins what is there. */
export const words = (...all: readonly string[]): string => all.filter((word) => word !== '').join(' ')

/** `! --option value`. */
export const option = (not: boolean, name: string, value: string | number): string =>
  `${not ? '! ' : ''}${name} ${value}`

/** A range, or the one that it is. */
export const span = (first: number | string, last: number | string, separator: string): string =>
  first === last ? String(first) : `${first}${separator}${last}`

/** `--sport`, `--dport`; nothing for all ports. */
export const portOption = (not: boolean, name: string, first: number, last: number): string =>
  first === 0 && last === 65535 && !not ? '' : option(not, name, span(first, last, ':'))

/** `--tcp-flags`; nothing when none is looked at, `undefined` for bits that are no flags. */
export function flagsOption(not: boolean, mask: number, set: number): string | undefined {
  if (mask === 0 && !not) return set === 0 ? '' : undefined
  const [asked, wanted] = [wordsOf(tcpFlags, mask), wordsOf(tcpFlags, set)]
  if (asked === undefined || wanted === undefined) return undefined
  return option(not, '--tcp-flags', `${asked.join(',') || 'NONE'} ${wanted.join(',') || 'NONE'}`)
}

/** As glibc prints it: an IPv4 address at the end of zeros has dots. */
export function addressText(bytes: Uint8Array): string {
  const dotted = bytes.length === 16 && bytes.subarray(0, 12).every((byte) => byte === 0) && (bytes[12] || bytes[13])
  return dotted ? `::${formatAddress(bytes.subarray(12))}` : formatAddress(bytes)
}

/** A value, and the mask where that leaves something out. */
export const maskedText = (value: number, mask: number): string =>
  mask === 0xffffffff ? hex(value) : `${hex(value)}/${hex(mask)}`
