import { invalid } from './errors.ts'

/** Checks the name of a set: what the kernel takes, without what a line of `ipset` would read as something else. */
export function checkSetName(name: string): string {
  if (typeof name !== 'string' || !isSetName(name)) {
    invalid(`set ${JSON.stringify(name)}: 1 to 31 letters, digits or _ . : - are needed, the first neither - nor :`)
  }
  return name
}

/** Whether a text is the name of a set as {@link checkSetName} wants it. */
export const isSetName = (text: string): boolean => /^[A-Za-z0-9_.][A-Za-z0-9_.:-]{0,30}$/.test(text)

/**
 * Checks a comment. `ipset` has no way to write a double quote; of control characters a line feed would end the line,
 * and all of them would reach the terminal of whoever lists the set.
 */
export function checkComment(comment: string, what: string): string {
  if (typeof comment !== 'string' || comment === '' || /["\p{Cc}\p{Cs}]/u.test(comment)) {
    invalid(
      `${what}: the comment ${JSON.stringify(comment)} is empty or has a double quote, control characters or broken Unicode`,
    )
  }
  // Wherever they stand in a line and even in quotes, ipset takes these words for options of its own.
  if (/^--?[a-z!]+$/i.test(comment)) {
    invalid(`${what}: ipset would read the comment ${JSON.stringify(comment)} as an option; write more than one word`)
  }
  // A UTF-16 unit is at most three bytes: the usual comment costs no count.
  const size = comment.length <= 85 ? 0 : Buffer.byteLength(comment)
  if (size > 255) invalid(`${what}: the comment has ${size} bytes, the kernel stores 255`)
  return comment
}

/** Checks an integer between two bounds. */
export function checkInteger(value: number, min: number, max: number, what: string): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
    invalid(`${what}: ${shown} is not an integer from ${min} to ${max}`)
  }
  return value
}

/** Checks seconds: the kernel counts in milliseconds and with a sign. */
export const checkTimeout = (value: number, what: string): number => checkInteger(value, 0, 2147483, what)
