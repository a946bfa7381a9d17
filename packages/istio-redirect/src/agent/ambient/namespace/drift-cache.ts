import type { PodCapture } from '@cni/istio-rules'
import { openNft } from '@cni/nftables/wire'
import type { RulesOptions } from '../rules/installed-rules.ts'
import type { IdentifiedLease } from './netns-cache.ts'

/** Cache of pods whose rules were correct at the last check. The agent reads their rules again only after a change. */
export interface DriftCache {
  /**
   * True if a check of the pod can be skipped. Skips are limited, because `fingerprint` does not change with the pod's routes.
   */
  isClean(uid: string, fingerprint: string | undefined): boolean
  /** True if the next check of the pod needs to read only the routes. */
  isSame(uid: string, fingerprint: string | undefined): boolean
  remember(uid: string, fingerprint: string | undefined): void
  forget(uid: string): void
}

/** Number of checks of a pod that may be skipped after a check without differences. */
const MAX_SKIPS = 9

/** Creates a cache of check results, initially without pods. */
export function driftCache(): DriftCache {
  const pods = new Map<string, { readonly fingerprint: string; left: number }>()
  return {
    isClean(uid, fingerprint) {
      const last = pods.get(uid)
      if (last === undefined || last.fingerprint !== fingerprint || last.left === 0) return false
      last.left -= 1
      return true
    },
    isSame: (uid, fingerprint) => fingerprint !== undefined && pods.get(uid)?.fingerprint === fingerprint,
    remember(uid, fingerprint) {
      if (fingerprint === undefined) pods.delete(uid)
      else pods.set(uid, { fingerprint, left: MAX_SKIPS })
    },
    forget: (uid) => void pods.delete(uid),
  }
}

/** Returns a text that changes with a pod's rules or settings. Call this function before reading the rules. */
export function fingerprintOf(
  lease: IdentifiedLease,
  capture: PodCapture,
  { native, backend }: RulesOptions,
): string | undefined {
  if (native !== true && backend !== 'iptables-nft') return undefined
  try {
    using nft = openNft(lease.netns)
    return fingerprintAt(lease, capture, nft.generation())
  } catch {
    return undefined // Ignores the error, because the caller's next read of the rules reports it.
  }
}

/** Variant of `fingerprintOf` for callers that know the kernel's count of nf_tables changes (`generation`) already. */
export function fingerprintAt({ identity }: IdentifiedLease, capture: PodCapture, generation: number): string {
  const { dev, ino, cookie } = identity
  return JSON.stringify([`${dev}:${ino}:${cookie}`, generation, capture])
}
