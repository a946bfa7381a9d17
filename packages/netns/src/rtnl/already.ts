import { isNetnsError, NetnsError } from '../handle/netns-error.ts'

/**
 * Calls `change`, which sends a request to the kernel. Returns false if nothing is to change: the object to add exists,
 * or the object to delete is missing. The list `codes` contains the errno names for this case.
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
