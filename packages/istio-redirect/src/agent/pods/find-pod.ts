import type { PodIdentity, PodInfo } from '@cni/istio-rules'
import type { RequestedPod } from '../../decide/decide-add.ts'
import type { PodCache } from './pod-cache.ts'

/** Source of a pod: the cache, the watch after a wait, or an API request. */
export type PodSource = 'cache' | 'watch' | 'request'

/** Pod that the agent found, with its source. */
export interface FoundPod {
  readonly pod: PodInfo
  readonly source: PodSource
}

/** Options of {@link findPod}, which finds the pod that a container runtime is starting. */
export interface FindPodOptions {
  /** Cache of the pods that the agent watches. `undefined` if the agent does not watch pods. */
  readonly cache: PodCache | undefined
  /** Function that requests the pod from the API server. */
  readonly ask: (who: PodIdentity) => Promise<PodInfo>
  /** Maximal wait for the watch to deliver a pod that is not cached yet, in milliseconds. Default 200. */
  readonly waitMs?: number
}

/**
 * Finds the pod that a container runtime is starting. A cached pod must have the same UID, because names are reused.
 */
export async function findPod(
  { uid, ...who }: RequestedPod,
  { cache, ask, waitMs = 200 }: FindPodOptions,
): Promise<FoundPod> {
  if (cache !== undefined && uid !== undefined && uid !== '') {
    const wanted = { ...who, uid }
    const known = cache.find(wanted)
    if (known !== undefined) return { pod: known, source: 'cache' }
    const watched = await cache.waitFor(wanted, waitMs)
    if (watched !== undefined) return { pod: watched, source: 'watch' }
  }
  return { pod: await ask(who), source: 'request' }
}
