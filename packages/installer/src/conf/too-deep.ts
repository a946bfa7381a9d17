import { jsonDepth } from '@cni/types'
import { utf8Text } from './utf8-text.ts'

/** What Go's decoder accepts, and with it every runtime. */
const MAX_DEPTH = 10_000
/** Why a text is {@link isTooDeep}. */
export const TOO_DEEP = `nested deeper than ${MAX_DEPTH} levels`

/** Whether no runtime would read the text, because of how deep its values are in each other. */
export function isTooDeep(text: string | Uint8Array): boolean {
  // a bracket to open each level and one to close it
  if (text.length <= 2 * MAX_DEPTH) return false
  return jsonDepth(typeof text === 'string' ? text : utf8Text(text)) > MAX_DEPTH
}
