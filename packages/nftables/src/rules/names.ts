import { wrong } from './compared.ts'

/** Validates a text that the kernel stores: one line of `least` to `most` bytes. */
export function checkText(text: string, most: number, what: string, least = 0): string {
  const isText = typeof text === 'string' && !/\p{Cc}|\p{Cs}/u.test(text)
  const size = isText ? new TextEncoder().encode(text).length : -1
  return size >= least && size <= most
    ? text
    : wrong(text, `a text of ${least} to ${most} bytes without control characters`, what)
}

/** Validates the name of a table, chain or set. Throws `NftError('INVALID')`. */
export const checkName = (name: string, what: string): string => checkText(name, 255, what, 1)
