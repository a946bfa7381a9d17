import { isNetnsError, NetnsError } from '../handle/netns-error.ts'

/**
 * Calls `change`, which asks the kernel to add or delete an object. Returns true after the change. Returns false if the
 * object to add exists already, or the object to delete is missing. For these two cases, `codes` contains the kernel's
 * errno names.
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
