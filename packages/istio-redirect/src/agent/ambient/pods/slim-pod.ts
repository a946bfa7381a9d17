import type { AmbientPod, Labels } from '@cni/istio-rules'
import { ambientAnnotations } from '@cni/istio-rules'
import { truncate } from '../../../safe-text.ts'

/** Reduces a pod to the members that decide if the pod belongs to the mesh. */
export function slimPod(pod: AmbientPod): AmbientPod {
  const annotations: [string, string][] = []
  const tooLong: [string, number][] = []
  for (const [key, maxChars] of ambientAnnotations) {
    const value = Object.hasOwn(pod.annotations, key) ? pod.annotations[key] : undefined
    if (value === undefined) continue
    const isTooLong = value.length > maxChars
    annotations.push([key, isTooLong ? truncate(value, SHOWN_CHARS) : value])
    if (isTooLong) tooLong.push([key, value.length])
  }
  return {
    ...pod,
    labels: slimLabels(pod.labels),
    annotations: Object.fromEntries(annotations),
    ...(tooLong.length > 0 && { tooLong: Object.fromEntries(tooLong) }),
  }
}

/** Limits the total size of labels. Above the limit, keeps only `app` and Istio's labels. */
export function slimLabels(labels: Labels): Labels {
  const entries = Object.entries(labels)
  if (entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0) <= MAX_LABEL_CHARS) return labels
  return Object.fromEntries(
    entries.filter(([key]) => /^(?:app$|(?:[^/]+\.)?istio\.io\/)/.test(key)).slice(0, MAX_LABELS),
  )
}

// internal

/** Length in characters to which an overlong annotation is cut. Error messages show the remaining text. */
const SHOWN_CHARS = 128

const MAX_LABEL_CHARS = 16 * 1024
const MAX_LABELS = 64
