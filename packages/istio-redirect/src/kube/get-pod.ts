import { type AskOptions, ask } from './ask.ts'
import { isPlainPod } from './plain-pod.ts'
import { type Pod, podPath } from './pod.ts'
import type { PodIdentity } from './pod-identity.ts'

/** Gets one pod. */
export function getPod(who: PodIdentity, options: AskOptions): Promise<Pod> {
  const what = `pod ${who.namespace}/${who.name}`
  return ask({ what, path: podPath(who), parse: (document) => read(document, who) }, options)
}

// internal

/** What says what is wrong with a pod, and reads one with `null` in it, takes 2 ms to load. */
async function read(document: unknown, who: PodIdentity): Promise<Pod> {
  if (isPlainPod(document)) {
    const { namespace, name } = document.metadata
    if (namespace === who.namespace && name === who.name) return document
  }
  return (await import('./parse-pod.ts')).parsePod(document, who)
}
