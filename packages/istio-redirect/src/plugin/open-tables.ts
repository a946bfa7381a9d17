import { openFresh as openIptables } from '@cni/iptables/fresh'
import type { Netns } from '@cni/netns/handle'
import { type FreshNftables, openFresh as openNftables } from '@cni/nftables/fresh'
import { FIRST_GENERATION } from '../first-generation.ts'
import { tableNames } from '../redirect/native/table-names.ts'
import type { NamespaceFacts } from '../serve/protocol.ts'

/** Where the rules of a served call would go, and what an agent has to know of it. */
export interface ServedTables extends Disposable, Pick<NamespaceFacts, 'backend' | 'fresh' | 'generation'> {
  /** {@link FreshNftables.commit}; `false` where nothing can be written. */
  commit(batch: Uint8Array): boolean
  /** {@link FreshNftables.flush} */
  flush(): boolean
  /** Nobody has ever made one. */
  readonly untouched: boolean
}

/** Tables that are opened when somebody needs them, and closed if they were. */
export interface LaterTables extends Disposable {
  open(): ServedTables
}

/** {@link openTables} when it is asked for, at most once. */
export function laterTables(netns: Netns, isNative: boolean): LaterTables {
  let opened: ServedTables | undefined
  return {
    open() {
      opened ??= openTables(netns, isNative)
      return opened
    },
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  }
}

/** Opens what rules go to: tables of our own, or iptables. */
export function openTables(netns: Netns, isNative: boolean): ServedTables {
  const tables = isNative ? openNftables(netns, ownTables()) : openIptables(netns)
  if (tables === undefined) return unreachable
  return {
    backend: isNative ? 'nftables' : 'nft',
    fresh: tables.fresh,
    generation: tables.generation,
    untouched: tables.generation === FIRST_GENERATION,
    commit: (batch) => tables.commit(batch),
    flush: () => tables.flush(),
    [Symbol.dispose]: () => tables[Symbol.dispose](),
  }
}

// internal

const unreachable: ServedTables = {
  ...{ backend: 'other', fresh: false, generation: 0, untouched: false },
  commit: () => false,
  flush: () => false,
  [Symbol.dispose]() {},
}

const ownTables = () => tableNames.map((table) => ({ family: 'inet', table }) as const)
