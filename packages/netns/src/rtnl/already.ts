import { isNetnsError, NetnsError } from '../handle/netns-error.ts'

/**
 * Calls `change`, which sends a request to the kernel. Returns false if the kernel refuses because the wanted object
 * exists or the unwanted one is missing. In that case the refusal has one of the errno names `codes`.
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
