import { jsonDepth } from '@cni/types'
import { utf8Text } from './utf8-text.ts'

/** Maximum nesting depth that Go's JSON decoder accepts. Every container runtime uses that decoder. */
const MAX_DEPTH = 10_000
/** Reason in errors about JSON text that {@link isTooDeep} refuses. */
export const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`

/** True if a JSON text is nested too deeply for Go's decoder, which every container runtime uses. */
export function isTooDeep(text: string | Uint8Array): boolean {
  // A short text cannot be too deep, because each nesting level needs two brackets.
  if (text.length <= 2 * MAX_DEPTH) return false
  return jsonDepth(typeof text === 'string' ? text : utf8Text(text)) > MAX_DEPTH
}
