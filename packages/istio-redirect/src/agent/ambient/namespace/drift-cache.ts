import type { PodCapture } from '@cni/istio-rules'
import { openNft } from '@cni/nftables/wire'
import type { RulesOptions } from '../rules/installed-rules.ts'
import type { IdentifiedLease } from './netns-cache.ts'

/** Remembers pods whose rules were correct, so that the rules are read again only after a change. */
export interface DriftCache {
  /**
   * True if the last check without differences had this mark, and fewer than ten calls relied on that check. The limit
   * exists because the mark does not cover routes. Each call counts.
   */
  isClean(uid: string, mark: string | undefined): boolean
  /**
   * True if the last check without differences had this mark. The rules are then unchanged, and only routes need a
   * check.
   */
  isSame(uid: string, mark: string | undefined): boolean
  wasClean(uid: string, mark: string | undefined): void
  forget(uid: string): void
}

/** Number of checks that are skipped after a check without differences. */
const TRUSTED_LOOKS = 9

/** Creates an empty cache. */
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
 * Mark of a namespace's rules: it changes with every change of the rules in the namespace, and of the wanted rules.
 *
 * The kernel counts the changes of nf_tables. `undefined` if the count is unavailable. Callers read the mark before
 * they read the rules.
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
    return undefined // The caller's read of the rules reports the error.
  }
}

/** Mark for a known count of nf_tables changes. */
export function markAt({ identity }: IdentifiedLease, capture: PodCapture, generation: number): string {
  const { dev, ino, cookie } = identity
  return JSON.stringify([`${dev}:${ino}:${cookie}`, generation, capture])
}
