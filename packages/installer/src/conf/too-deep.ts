import { jsonDepth } from '@cni/types'
import { utf8Text } from './utf8-text.ts'

/** Maximum depth of Go's decoder, and so of every runtime. */
const MAX_DEPTH = 10_000
/** Reason for {@link isTooDeep}. */
export const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`

/** True if the text is nested too deeply for every runtime. */
export function isTooDeep(text: string | Uint8Array): boolean {
  // Each level needs an opening and a closing bracket.
  if (text.length <= 2 * MAX_DEPTH) return false
  return jsonDepth(typeof text === 'string' ? text : utf8Text(text)) > MAX_DEPTH
}
