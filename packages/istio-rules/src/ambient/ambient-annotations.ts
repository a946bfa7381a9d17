import { redirectionAnnotation, statusAnnotation } from '../decide/decide-without-api.ts'
import { MAX_VIRTUAL_CHARS, virtualKey } from '../pod/virtual-interfaces.ts'
import { bypassKey, dnsKey } from './pod-overrides.ts'

/** Maximum characters that the agent keeps of an annotation's value if valid values are one word. */
const WORD_CHARS = 128

/**
 * Annotations that configure a pod in ambient mode. Each key has the number of characters that the agent keeps of the
 * annotation's value. The agent cuts longer values.
 */
export const ambientAnnotations: readonly (readonly [key: string, maxChars: number])[] = [
  [redirectionAnnotation, WORD_CHARS],
  [bypassKey, WORD_CHARS],
  [dnsKey, WORD_CHARS],
  [virtualKey, MAX_VIRTUAL_CHARS],
  // The agent only checks if the sidecar's status annotation is present, so it keeps no character of the value.
  [statusAnnotation, 0],
]
