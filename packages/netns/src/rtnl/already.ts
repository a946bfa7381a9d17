import { isNetnsError, NetnsError } from '../handle/netns-error.ts'

/**
 * Adds or deletes an object; returns false if there is nothing to do.
 *
 * @param difference - describes how the existing object differs from the wanted one; the error quotes the text
 */
export function unlessAlready(
  codes: readonly string[],
  change: () => void,
  difference: () => string | undefined = () => undefined,
): boolean {
  try {
    change()
    return true
  } catch (error) {
    if (!isNetnsError(error) || !codes.includes(error.code)) throw error
    const otherwise = difference()
    if (otherwise === undefined) return false
    throw new NetnsError(error.code, `${error.message}: ${otherwise}`, { cause: error })
  }
}
