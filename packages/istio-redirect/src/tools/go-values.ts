import { goNumber } from '../go-number.ts'

/** Parses an unsigned 16-bit number as Go does with base 0: decimal, or with the prefix 0x, 0o, 0b, or 0 for octal. */
export function goUint16(text: string): number {
  const number = goNumber(text)
  if (Number.isNaN(number)) throw new Error('expected a number from 0 to 65535')
  if (number > 65535) throw new TooLarge('expected a number from 0 to 65535')
  return number
}

/** Error for a number that does not fit in 16 bits. */
export class TooLarge extends Error {}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** Parses a duration as Go writes it (`5s`, `1m30s`, `1.5h`). Returns milliseconds. */
export function goDuration(text: string): number {
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/s.exec(text) ?? []
  if (body === '0') return 0
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) {
    throw new Error('expected a duration such as 5s, 500ms or 1m30s')
  }
  let ms = 0
  for (const [, number = '', unit = ''] of body.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    ms += Number(number) * (UNITS[unit] ?? Number.NaN)
  }
  return sign === '-' ? -ms : ms
}
