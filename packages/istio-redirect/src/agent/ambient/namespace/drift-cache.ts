import type { PodCapture } from '@cni/istio-rules'
import { openNft } from '@cni/nftables/wire'
import type { RulesOptions } from '../rules/installed-rules.ts'
import type { IdentifiedLease } from './netns-cache.ts'

/** Remembers of which pods the rules were as they should be, so that they are only read again when something changed. */
export interface DriftCache {
  /** Whether a look was clean with this mark lately. Counts: now and then more is looked at, for the mark says nothing of routes. */
  isClean(uid: string, mark: string | undefined): boolean
  /** Whether the last clean look was with this mark: then the rules need not be read, only what it says nothing of. */
  isSame(uid: string, mark: string | undefined): boolean
  wasClean(uid: string, mark: string | undefined): void
  forget(uid: string): void
}

/** So many looks do without anything else. */
const TRUSTED_LOOKS = 9

/** Nothing was looked at yet. */
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
 * Differs whenever anything may have changed the rules in a namespace, or the rules that should be there: the kernel counts
 * the changes of nf_tables. `undefined` where nobody counts. Taken before the rules are looked at. To ask takes a tenth of a
 * millisecond, to read all rules several.
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
    return undefined // who reads the rules says what is wrong
  }
}

/** The same where the count is known. */
export function markAt({ identity }: IdentifiedLease, capture: PodCapture, generation: number): string {
  const { dev, ino, cookie } = identity
  return JSON.stringify([`${dev}:${ino}:${cookie}`, generation, capture])
}
