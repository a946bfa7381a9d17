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
   * True if a check of the pod can be skipped: its last check found no differences, and `mark` (see `markOf`) is
   * unchanged since then. The result is false after nine such answers in a row, until the next check. Reason: `mark`
   * does not show changes of routes.
   */
  isClean(uid: string, mark: string | undefined): boolean
  /**
   * True if a check of the pod needs to read only its routes. The last check found no differences, and an unchanged
   * `mark` (see `markOf`) shows that the rules are unchanged.
   */
  isSame(uid: string, mark: string | undefined): boolean
  wasClean(uid: string, mark: string | undefined): void
  forget(uid: string): void
}

/** Number of checks of a pod that may be skipped after a check without differences. */
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
 * Text that identifies the state of the rules in a pod's network namespace, for comparisons. It contains the namespace,
 * the kernel's count of nf_tables changes, and the wanted redirection settings.
 *
 * The result is `undefined` if the count is unavailable. Callers call this function before they read the rules.
 * Consequence: a change during the read makes the next text different.
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

/** Variant of `markOf` for callers that know the kernel's count of nf_tables changes (`generation`) already. */
export function markAt({ identity }: IdentifiedLease, capture: PodCapture, generation: number): string {
  const { dev, ino, cookie } = identity
  return JSON.stringify([`${dev}:${ino}:${cookie}`, generation, capture])
}
