import { redirectionAnnotation, statusAnnotation } from '../decide/decide-without-api.ts'
import { MAX_VIRTUAL_CHARS, virtualKey } from '../pod/virtual-interfaces.ts'
import { bypassKey, dnsKey } from './pod-overrides.ts'

/** Characters that a value with one word may have. */
const WORD_CHARS = 128

/** Annotations that decide about a pod in ambient mode, each with the characters its value may have. */
export const ambientAnnotations: readonly (readonly [key: string, maxChars: number])[] = [
  [redirectionAnnotation, WORD_CHARS],
  [bypassKey, WORD_CHARS],
  [dnsKey, WORD_CHARS],
  [virtualKey, MAX_VIRTUAL_CHARS],
  // That a pod has it decides.
  [statusAnnotation, 0],
]
