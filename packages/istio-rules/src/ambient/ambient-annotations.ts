import { redirectionAnnotation, statusAnnotation } from '../decide/decide-without-api.ts'
import { MAX_VIRTUAL_CHARS, virtualKey } from '../pod/virtual-interfaces.ts'
import { bypassKey, dnsKey } from './pod-overrides.ts'

/** Characters kept of a value with one word. */
const WORD_CHARS = 128

/** Annotations that decide about a pod in ambient mode, each with the number of characters kept of its value. */
export const ambientAnnotations: readonly (readonly [key: string, maxChars: number])[] = [
  [redirectionAnnotation, WORD_CHARS],
  [bypassKey, WORD_CHARS],
  [dnsKey, WORD_CHARS],
  [virtualKey, MAX_VIRTUAL_CHARS],
  // Only the presence of this annotation matters.
  [statusAnnotation, 0],
]
