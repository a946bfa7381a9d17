import { wrong } from './compared.ts'

/** Checks a text that the kernel keeps: one line of so many bytes, without control characters. Throws `NftError('INVALID')`. */
export function checkText(text: string, most: number, what: string, least = 0): string {
  const isText = typeof text === 'string' && !/\p{Cc}|\p{Cs}/u.test(text)
  const size = isText ? new TextEncoder().encode(text).length : -1
  return size >= least && size <= most
    ? text
    : wrong(text, `a text of ${least} to ${most} bytes without control characters`, what)
}

/** Checks what a table, a chain or a set is called. Throws the same. */
export const checkName = (name: string, what: string): string => checkText(name, 255, what, 1)
