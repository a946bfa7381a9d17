import { hasOwnUsers } from '@cni/netns/enter'
import type { Netns } from '@cni/netns/handle'
import {
  type Channel,
  decodeAttributes,
  type Message,
  NETLINK_NETFILTER,
  openNetlink,
  readBe32,
} from '@cni/netns/netlink'
import { tryLoadSys } from '@cni/netns/sys'
import { withGeneration } from './generation-slot.ts'
import { nftIsTheNodes } from './nodes-backend.ts'

/** nf_tables of a namespace, for one batch of {@link freshBatch}. */
export interface FreshNftables extends Disposable {
  /** Whether nothing of iptables is there. */
  readonly fresh: boolean
  /**
   * Sends a batch, if nobody has changed anything since this was opened. `false`: it was not taken, and nothing was
   * changed; `apply` does then what can be done, and says what is wrong.
   */
  commit(batch: Uint8Array): boolean
}

/**
 * Opens nf_tables of a namespace where `apply` would write by netlink; `undefined` where it would not, where only a program
 * can tell, and for a namespace that cannot be entered. Of this package it loads next to nothing: for a process in which
 * each millisecond counts.
 */
export function openFresh(target: Netns): FreshNftables | undefined {
  try {
    if (tryLoadSys() === undefined || hasOwnUsers(target) || !nftIsTheNodes(target)) return undefined
    return freshOver(openNetlink(target, NETLINK_NETFILTER, { receiveBuffer: ROOM_FOR_REFUSALS }))
  } catch {
    // Who writes by itself has the words for it.
    return undefined
  }
}

/** The same over a channel that is open, which is closed with it. */
export function freshOver(channel: Channel): FreshNftables | undefined {
  try {
    const generation = generationOf(channel)
    const chains = channel.dump({ type: GET_CHAIN, fixed: ANY_FAMILY, what: 'List chains' }, { consistent: true })
    return {
      fresh: !hasOurs(chains),
      commit(batch) {
        const bytes = withGeneration(batch, generation)
        if (bytes === undefined) return false
        const { refusals, lost } = channel.exchange(bytes, 'Change nf_tables')
        return refusals.length === 0 && !lost
      },
      [Symbol.dispose]: () => channel.close(),
    }
  } catch {
    // The kernel has no nf_tables, or we no privilege.
    channel.close()
    return undefined
  }
}

// internal

// Plain loops: each function of arrays that a process calls for the first time takes 40 µs.

const ROOM_FOR_REFUSALS = 4_000_000

const GET_CHAIN = (10 << 8) | 4
const GET_GENERATION = (10 << 8) | 16
const GENERATION_ID = 1
const NFGENMSG = 4
const ANY_FAMILY = new Uint8Array(NFGENMSG)
/** Those of iptables: `AF_INET`, `AF_INET6`. */
const FAMILIES: readonly unknown[] = [2, 10]

function generationOf(channel: Channel): number {
  const { body } = channel.get({ type: GET_GENERATION, fixed: ANY_FAMILY, what: 'Ask for the generation' })
  for (const [type, value] of decodeAttributes(body, NFGENMSG)) {
    const generation = type === GENERATION_ID ? readBe32(value) : undefined
    if (generation !== undefined) return generation
  }
  throw new Error('the kernel tells no generation')
}

function hasOurs(chains: readonly Message[]): boolean {
  for (const { body } of chains) if (FAMILIES.includes(body[0])) return true
  return false
}
