import type { NetnsTarget } from '@cni/netns'
import { type NetlinkSocket, openNetlinkSocket } from '@cni/netns/netlink'
import { type Nft, openNft } from '@cni/nftables/wire'
import type { RulesBy } from './rules.ts'

/**
 * Change detection for network namespaces. It allows the caller to skip complete checks while the kernel reports no
 * changes.
 */
export interface DriftCache extends Disposable {
  /** True if the caller may skip the next complete check. Must be called before each check. */
  isUnchanged(): boolean
  /** Records the result of a complete check of the namespaces: true if the check found no differences. */
  remember(isClean: boolean): void
}

/** Options of {@link driftCache}, the change detection for network namespaces. */
export interface DriftCacheOptions extends Pick<RulesBy, 'backend'> {
  /** True to detect changes of nf_tables rules. Default: true. */
  readonly rules?: boolean | undefined
  /** True to detect changes of tc filters on links. Default: false. */
  readonly filters?: boolean | undefined
}

/** Detects changes in network namespaces, except changes of ipset sets and eBPF maps. */
export function driftCache(
  targets: readonly NetnsTarget[],
  { backend, rules = true, filters = false }: DriftCacheOptions,
): DriftCache {
  const groups = filters ? [...GROUPS, RTNLGRP_TC] : GROUPS
  const listeners = !rules || backend === 'iptables-nft' ? listenersIn(targets, groups, rules) : undefined
  let skips = 0
  return {
    isUnchanged() {
      // Calls `changed` on every listener, even after the first `true`: the call also discards the listener's old
      // events.
      const changed = listeners?.map(({ changed }) => changed()) ?? [true]
      if (changed.includes(true)) skips = 0
      if (skips === 0) return false
      skips -= 1
      return true
    },
    remember(isClean) {
      skips = isClean ? MAX_SKIPPED_CHECKS : 0
    },
    [Symbol.dispose]() {
      for (const { close } of listeners ?? []) close()
    },
  }
}

// internal

/** Maximal number of complete checks that may be skipped in a row. */
const MAX_SKIPPED_CHECKS = 9

/** Numbers of the netlink groups of links, IPv4 addresses, routes, policy rules and link settings. */
const GROUPS = [1, 5, 7, 8, 24] as const
/** Number of the netlink group of qdiscs and tc filters. */
const RTNLGRP_TC = 4

/** Maximum number of netlink events to read in one call. */
const MAX_EVENTS = 10_000

interface Listener {
  /** True if the kernel has sent change events since the last call. */
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
    // Ignores the error of opening a listener, because the complete check reports the same error.
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
        return hasEvents(events) || generation !== before
      } catch {
        // An error while reading events counts as a change. Consequence: the complete check runs, and reports the
        // error.
        return true
      }
    },
    close() {
      nft?.close()
      events.close()
    },
  }
}

function hasEvents(events: NetlinkSocket): boolean {
  let count = 0
  while (count < MAX_EVENTS && events.receive() !== 'none') count += 1
  return count > 0
}
