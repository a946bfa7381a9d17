import { invalid } from './errors.ts'

/** Validates a set's name. `ipset` would misread some names in a line. */
export function checkSetName(name: string): string {
  if (typeof name !== 'string' || !isSetName(name)) {
    invalid(`set ${JSON.stringify(name)}: 1 to 31 letters, digits or _ . : - are needed, the first neither - nor :`)
  }
  return name
}

/** True for a set name that {@link checkSetName} accepts. */
export const isSetName = (text: string): boolean => /^[A-Za-z0-9_.][A-Za-z0-9_.:-]{0,30}$/.test(text)

/** Validates the comment of an entry. Control characters would reach the terminal of a user. */
export function checkComment(comment: string, what: string): string {
  if (typeof comment !== 'string' || comment === '' || /["\p{Cc}\p{Cs}]/u.test(comment)) {
    invalid(
      `${what}: the comment ${JSON.stringify(comment)} is empty or has a double quote, control characters or broken Unicode`,
    )
  }
  // Rejects a comment like `-exist`, because `ipset` reads it as an option even in quotes.
  if (/^--?[a-z!]+$/i.test(comment)) {
    invalid(`${what}: ipset would read the comment ${JSON.stringify(comment)} as an option; write more than one word`)
  }
  // Counts bytes only for long comments, because a UTF-16 unit has at most three bytes in UTF-8.
  const size = comment.length <= 85 ? 0 : Buffer.byteLength(comment)
  if (size > 255) invalid(`${what}: the comment has ${size} bytes, the kernel stores 255`)
  return comment
}

/** Throws a `SetError` unless a value is an integer between two bounds. */
export function checkInteger(value: number, min: number, max: number, what: string): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
    invalid(`${what}: ${shown} is not an integer from ${min} to ${max}`)
  }
  return value
}

/** Validates a time-out, which the kernel stores in milliseconds as a signed 32-bit integer. */
export const checkTimeout = (value: number, what: string): number => checkInteger(value, 0, 2147483, what)
