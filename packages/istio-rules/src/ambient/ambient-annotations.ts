import { redirectionAnnotation, statusAnnotation } from '../decide/decide-without-api.ts'
import { MAX_VIRTUAL_CHARS, virtualKey } from '../pod/virtual-interfaces.ts'
import { bypassKey, dnsKey } from './pod-overrides.ts'

/** Limit in characters for annotations whose valid values are one word. The agent cuts longer values. */
const WORD_CHARS = 128

/**
 * Annotations that configure a pod in ambient mode, with maximum lengths in characters. The agent cuts longer values.
 */
export const ambientAnnotations: readonly (readonly [key: string, maxChars: number])[] = [
  [redirectionAnnotation, WORD_CHARS],
  [bypassKey, WORD_CHARS],
  [dnsKey, WORD_CHARS],
  [virtualKey, MAX_VIRTUAL_CHARS],
  // Drops the whole value, because the agent only checks if the annotation exists.
  [statusAnnotation, 0],
]
