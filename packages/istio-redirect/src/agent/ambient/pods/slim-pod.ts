import type { AmbientPod, Labels } from '@cni/istio-rules'
import { ambientAnnotations } from '@cni/istio-rules'
import { beginning } from '../../../foreign-text.ts'

/** What the agent keeps of a pod: the annotations that decide, and of each no more than it may have. */
export function slimPod(pod: AmbientPod): AmbientPod {
  const annotations: [string, string][] = []
  const tooLong: [string, number][] = []
  for (const [key, maxChars] of ambientAnnotations) {
    const value = Object.hasOwn(pod.annotations, key) ? pod.annotations[key] : undefined
    if (value === undefined) continue
    const isTooLong = value.length > maxChars
    annotations.push([key, isTooLong ? beginning(value, SHOWN_CHARS) : value])
    if (isTooLong) tooLong.push([key, value.length])
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

/** What is kept of a text that is too long: messages show it. */
const SHOWN_CHARS = 128

const MAX_LABEL_CHARS = 16 * 1024
const MOST_LABELS = 64
