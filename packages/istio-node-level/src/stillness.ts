import type { NetnsTarget } from '@cni/netns'
import { type NetlinkSocket, openNetlinkSocket } from '@cni/netns/netlink'
import { type Nft, openNft } from '@cni/nftables/wire'
import type { RulesBy } from './rules.ts'

/** Knows when nobody can have changed what was as it should be, so that most looks need not read all of it again. */
export interface Stillness extends Disposable {
  /**
   * Whether nothing was changed since the look before the last {@link Stillness.looked}, which was clean. To be asked
   * before a look. Counts: now and then all is read, for the kernel does not tell of every setting.
   */
  isStill(): boolean
  /** What a look at all of it has found. */
  looked(isClean: boolean): void
}

/** What is looked at besides links, addresses, routes and policy rules. */
export interface StillnessOptions extends Pick<RulesBy, 'backend'> {
  /** Whether there are rules to be written. Default: true. */
  readonly rules?: boolean | undefined
  /** Whether there are filters on links. Default: false. */
  readonly filters?: boolean | undefined
}

/**
 * That of namespaces: their links, addresses, routes, policy rules, rules of nf_tables, and filters. What sets and maps hold
 * is told by nobody. Never still where rules are written by anything but nft, or the kernel tells nothing.
 */
export function stillness(
  targets: readonly NetnsTarget[],
  { backend, rules = true, filters = false }: StillnessOptions,
): Stillness {
  const groups = filters ? [...GROUPS, RTNLGRP_TC] : GROUPS
  const listeners = !rules || backend === 'iptables-nft' ? listenersIn(targets, groups, rules) : undefined
  let trusted = 0
  return {
    isStill() {
      // All are asked: what one of them has told is forgotten by it.
      const changed = listeners?.map(({ changed }) => changed()) ?? [true]
      if (changed.includes(true)) trusted = 0
      if (trusted === 0) return false
      trusted -= 1
      return true
    },
    looked(isClean) {
      trusted = isClean ? TRUSTED_LOOKS : 0
    },
    [Symbol.dispose]() {
      for (const { close } of listeners ?? []) close()
    },
  }
}

// internal

/** So many looks do without reading everything. */
const TRUSTED_LOOKS = 9

/** Links, addresses, routes and policy rules of IPv4, and the settings of links. */
const GROUPS = [1, 5, 7, 8, 24] as const
/** Qdiscs and filters. */
const RTNLGRP_TC = 4

/** Whoever makes more changes between two looks is not waited for. */
const MOST_EVENTS = 10_000

interface Listener {
  /** Whether there was anything since the last call. */
  changed(): boolean
  close(): void
}

function listenersIn(
  targets: readonly NetnsTarget[],
  groups: readonly number[],
  rules: boolean,
): readonly Listener[] | undefined {
  const made: Listener[] = []
  try {
    for (const target of targets) made.push(listenerIn(target, groups, rules))
    return made
  } catch {
    // Who reads all of it says what is wrong.
    for (const { close } of made) close()
    return undefined
  }
}

function listenerIn(target: NetnsTarget, groups: readonly number[], rules: boolean): Listener {
  const events = openNetlinkSocket(target, 'route', { groups })
  let nft: Nft | undefined
  try {
    if (rules) nft = openNft(target)
  } catch (error) {
    events.close()
    throw error
  }
  let generation = -1
  return {
    changed() {
      const before = generation
      try {
        generation = nft?.generation() ?? before
        return heard(events) || generation !== before
      } catch {
        // As above: all of it is read then.
        return true
      }
    },
    close() {
      nft?.close()
      events.close()
    },
  }
}

function heard(events: NetlinkSocket): boolean {
  let count = 0
  while (count < MOST_EVENTS && events.receive() !== 'none') count += 1
  return count > 0
}
