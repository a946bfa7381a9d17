import type { PodIdentity, PodInfo } from '@cni/istio-rules'
import type { PodCache } from './pod-cache.ts'

/** Where a pod was found: in the cache at once, there after a while, or at the API server. */
export type PodSource = 'cache' | 'watch' | 'request'

/** A pod, and who said so. */
export interface RightPod {
  readonly pod: PodInfo
  readonly source: PodSource
}

/** What {@link rightPod} works with. */
export interface RightPodOptions {
  /** `undefined`: pods are not watched. */
  readonly cache: PodCache | undefined
  /** Asks the API server. */
  readonly ask: (who: PodIdentity) => Promise<PodInfo>
  /** How long a watch may take to bring a pod, in milliseconds. Default 200. */
  readonly waitMs?: number
}

/**
 * The pod that a runtime is starting. A name is used again, so that only the UID tells whether a pod that was seen is the
 * one: without it, or without a live watch, one request tells, and what that throws is thrown.
 */
export async function rightPod(
  { uid, ...who }: PodIdentity & { readonly uid?: string | undefined },
  { cache, ask, waitMs = 200 }: RightPodOptions,
): Promise<RightPod> {
  if (cache !== undefined && uid !== undefined && uid !== '') {
    const wanted = { ...who, uid }
    const known = cache.find(wanted)
    if (known !== undefined) return { pod: known, source: 'cache' }
    const brought = await cache.waitFor(wanted, waitMs)
    if (brought !== undefined) return { pod: brought, source: 'watch' }
  }
  return { pod: await ask(who), source: 'request' }
}
