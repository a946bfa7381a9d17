import { type AskOptions, ask } from './ask.ts'
import { parsePod } from './parse-pod.ts'
import { type Pod, podPath } from './pod.ts'
import type { PodIdentity } from './pod-identity.ts'

/** Gets one pod. */
export function getPod(who: PodIdentity, options: AskOptions): Promise<Pod> {
  const what = `pod ${who.namespace}/${who.name}`
  return ask({ what, path: podPath(who), parse: (document) => parsePod(document, who) }, options)
}
