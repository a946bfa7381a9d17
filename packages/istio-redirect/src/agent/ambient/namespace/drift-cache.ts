import type { PodCapture } from '@cni/istio-rules'
import { openNft } from '@cni/nftables/wire'
import type { RulesOptions } from '../rules/installed-rules.ts'
import type { IdentifiedLease } from './netns-cache.ts'

/**
 * Remembers the pods whose rules were correct at the last check. The rules of such a pod are read again only after a
 * change.
 */
export interface DriftCache {
  /**
   * True if the last check of the pod found no differences, and `mark` is unchanged since then. Fewer than ten calls
   * may rely on one check. Each call counts. The limit exists because the mark does not show changes of routes.
   */
  isClean(uid: string, mark: string | undefined): boolean
  /**
   * True if the last check of the pod found no differences, and `mark` is unchanged since then. The pod's rules are
   * then unchanged, and only its routes need a check.
   */
  isSame(uid: string, mark: string | undefined): boolean
  wasClean(uid: string, mark: string | undefined): void
  forget(uid: string): void
}

/** Number of checks of a pod's rules that are skipped after a check without differences. */
const TRUSTED_LOOKS = 9

/** Creates a cache of check results, initially without pods. */
export function driftCache(): DriftCache {
  const pods = new Map<string, { readonly mark: string; left: number }>()
  return {
    isClean(uid, mark) {
      const last = pods.get(uid)
      if (last === undefined || last.mark !== mark || last.left === 0) return false
      last.left -= 1
      return true
    },
    isSame: (uid, mark) => mark !== undefined && pods.get(uid)?.mark === mark,
    wasClean(uid, mark) {
      if (mark === undefined) pods.delete(uid)
      else pods.set(uid, { mark, left: TRUSTED_LOOKS })
    },
    forget: (uid) => void pods.delete(uid),
  }
}

/**
 * Mark for the rules of a pod's network namespace. The mark changes with every change of the existing or the wanted
 * rules.
 *
 * The mark contains the kernel's count of nf_tables changes. It is `undefined` if the count is unavailable. Callers
 * read the mark before they read the rules.
 */
export function markOf(
  lease: IdentifiedLease,
  capture: PodCapture,
  { native, backend }: RulesOptions,
): string | undefined {
  if (native !== true && backend !== 'iptables-nft') return undefined
  try {
    using nft = openNft(lease.netns)
    return markAt(lease, capture, nft.generation())
  } catch {
    return undefined // Ignores the error here: the caller reads the rules next, and that read reports the error.
  }
}

/** Mark for the rules of a pod's network namespace, if the kernel's count of nf_tables changes is already known. */
export function markAt({ identity }: IdentifiedLease, capture: PodCapture, generation: number): string {
  const { dev, ino, cookie } = identity
  return JSON.stringify([`${dev}:${ino}:${cookie}`, generation, capture])
}
