import { statusAnnotation } from '../../decide/before-asking.ts'
import type { Labels } from '../../kube/label-selector.ts'
import { MAX_VIRTUAL_CHARS, virtualKey } from '../../redirect/virtual-interfaces.ts'
import type { AmbientPod } from './ambient-pod.ts'
import { redirectionAnnotation } from './annotation.ts'
import { bypassKey, dnsKey } from './pod-overrides.ts'

/** What the agent keeps of a pod: the annotations that decide, and of each no more than it may have. */
export function slimPod(pod: AmbientPod): AmbientPod {
  const annotations: [string, string][] = []
  const tooLong: [string, number][] = []
  for (const [key, maxChars] of DECIDING) {
    const value = Object.hasOwn(pod.annotations, key) ? pod.annotations[key] : undefined
    if (value === undefined) continue
    annotations.push([key, value.slice(0, maxChars)])
    if (value.length > maxChars) tooLong.push([key, value.length])
  }
  return {
    ...pod,
    labels: slimLabels(pod.labels),
    annotations: Object.fromEntries(annotations),
    ...(tooLong.length > 0 && { tooLong: Object.fromEntries(tooLong) }),
  }
}

/**
 * The labels of a pod or a namespace, if they have at most 16 Ki characters. Of more, only those of Istio and `app` are
 * kept: selectors see no others.
 */
export function slimLabels(labels: Labels): Labels {
  const entries = Object.entries(labels)
  if (entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0) <= MAX_LABEL_CHARS) return labels
  return Object.fromEntries(
    entries.filter(([key]) => /^(?:app$|(?:[^/]+\.)?istio\.io\/)/.test(key)).slice(0, MOST_LABELS),
  )
}

// internal

/** Each annotation that the agent reads, and the characters that are kept of it. */
const DECIDING: readonly (readonly [key: string, maxChars: number])[] = [
  [redirectionAnnotation, 128],
  [bypassKey, 128],
  [dnsKey, 128],
  [virtualKey, MAX_VIRTUAL_CHARS],
  // That a pod has it decides.
  [statusAnnotation, 0],
]

const MAX_LABEL_CHARS = 16 * 1024
const MOST_LABELS = 64
