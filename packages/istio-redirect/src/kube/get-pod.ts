import type { Pod } from '../redirect/pod-info.ts'
import { type AskOptions, ask } from './ask.ts'
import { type PodIdentity, parsePod, podPath } from './pod.ts'

/** Gets one pod. */
export function getPod(who: PodIdentity, options: AskOptions): Promise<Pod> {
  const what = `pod ${who.namespace}/${who.name}`
  return ask({ what, path: podPath(who), parse: (document) => parsePod(document, who) }, options)
}
