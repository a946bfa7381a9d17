import { invalid } from '../errors.ts'
import type { RuleWords } from './rule-words.ts'

/** Validates a port, or a port range with the given separator, and returns its text. */
export function checkPorts(value: RuleWords['ports'] | string, what: string, separator: ':' | '-' = ':'): string {
  const text = String(value)
  // Accepts a valid number at once, because most ports are numbers.
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65535) return text
  const parts = text.split(separator)
  const [from, to] = [decimal(parts[0]), decimal(parts[1] ?? parts[0])]
  if (parts.length > 2 || from === undefined || to === undefined || to > 65535) {
    // Refuses other spellings of a port: iptables reads 0022 as octal (18), and words as service names.
    invalid(
      `${what}: ${JSON.stringify(value)} is not a port (0-65535, no leading zero) or a range such as 1000${separator}2000`,
    )
  }
  if (from > to) invalid(`${what}: the range ${text} ends before it begins`)
  return text
}

/** Validates a list for `-m multiport`: at most 15 ports; a range counts twice. */
export function checkPortList(values: readonly (RuleWords['ports'] | string)[], what: string): string {
  if (values.length === 0) invalid(`${what}: at least one port is needed`)
  // Writes a range such as 80:80 as one port, because the multiport match refuses the range.
  const texts = values.map((value) => checkPorts(value, what).replace(/^(\d+):\1$/, '$1'))
  const room = texts.reduce((sum, text) => sum + (text.includes(':') ? 2 : 1), 0)
  if (room > 15) invalid(`${what}: ${room} ports, but the maximum is 15 (a range counts twice); split the rule`)
  return texts.join(',')
}

/** Validates a 32-bit packet mark, or the mask of a mark. */
export function checkMark(value: number, what: string): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    invalid(`${what}: ${shown(value)} is not a mark (an integer from 0 to 0xffffffff)`)
  }
  return value
}

/** Validates an integer between two bounds. */
export function checkInteger(value: number, min: number, max: number, what: string): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    invalid(`${what}: ${shown(value)} is not an integer from ${min} to ${max}`)
  }
  return value
}

// internal

const shown = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : String(value))

const decimal = (text: string | undefined) =>
  text !== undefined && /^(0|[1-9][0-9]{0,4})$/.test(text) ? Number(text) : undefined
