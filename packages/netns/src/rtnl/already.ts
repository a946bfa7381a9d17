import { isNetnsError } from '../handle/netns-error.ts'

/** Makes a change; false when the kernel refuses it with one of the codes, which say that it is so already. */
export function unlessAlready(codes: readonly string[], change: () => void, isSo: () => boolean = () => true): boolean {
  try {
    change()
    return true
  } catch (error) {
    if (isNetnsError(error) && codes.includes(error.code) && isSo()) return false
    throw error
  }
}
