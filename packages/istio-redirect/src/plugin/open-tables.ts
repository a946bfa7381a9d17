import { openFresh as openIptables } from '@cni/iptables/fresh'
import { type FreshNftables, openFresh as openNftables } from '@cni/nftables/fresh'
import type { AddAheadContext } from '@cni/skel'
import { tableNames } from '../redirect/native/table-names.ts'
import type { NamespaceFacts } from '../serve/protocol.ts'
import { FIRST_GENERATION } from './rule-writer.ts'

/** Where the rules of a served call would go, and what an agent has to know of it. */
export interface ServedTables extends Disposable, Pick<NamespaceFacts, 'backend' | 'fresh'> {
  /** {@link FreshNftables.commit}; `false` where nothing can be written. */
  commit(batch: Uint8Array): boolean
  /** Nobody has ever changed nf_tables in the namespace. */
  readonly untouched: boolean
}

/** Tables that are opened when somebody needs them, and closed if they were. */
export interface LaterTables extends Disposable {
  open(): ServedTables
}

/** {@link openTables}, at most once. */
export function laterTables(c: Pick<AddAheadContext, 'netns' | 'document'>): LaterTables {
  let opened: ServedTables | undefined
  return {
    open() {
      opened ??= openTables(c)
      return opened
    },
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  }
}

// internal

/** Opens what the rules go to that a configuration, which nobody has checked yet, seems to ask for. */
function openTables({ netns, document }: Pick<AddAheadContext, 'netns' | 'document'>): ServedTables {
  const isNative = document.native_nftables === true
  const tables = isNative ? openNftables(netns, ownTables()) : openIptables(netns)
  if (tables === undefined) return unreachable
  return {
    backend: isNative ? 'nftables' : 'nft',
    fresh: tables.fresh,
    untouched: tables.generation === FIRST_GENERATION,
    commit: (batch) => tables.commit(batch),
    [Symbol.dispose]: () => tables[Symbol.dispose](),
  }
}

const unreachable: ServedTables = {
  ...{ backend: 'other', fresh: false, untouched: false },
  commit: () => false,
  [Symbol.dispose]() {},
}

const ownTables = () => tableNames.map((table) => ({ family: 'inet', table }) as const)
