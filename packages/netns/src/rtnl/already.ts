import { isNetnsError, NetnsError } from '../handle/netns-error.ts'

/**
 * Makes a change; false when the kernel refuses it with one of the codes, which say that it is so already.
 *
 * @param difference - what is otherwise after all, in words that are added to the error
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
