import { openFresh as openIptables } from '@cni/iptables/fresh'
import { type FreshNftables, openFresh as openNftables } from '@cni/nftables/fresh'
import type { AddAheadContext } from '@cni/skel'
import { tableNames } from '../redirect/native/table-names.ts'
import type { NamespaceFacts } from '../serve/protocol.ts'

/** Where the rules of a served call would go, and what an agent has to know of it. */
export interface ServedTables extends Disposable, Pick<NamespaceFacts, 'backend' | 'fresh'> {
  /** {@link FreshNftables.commit}; `false` where nothing can be written. */
  commit(batch: Uint8Array): boolean
}

/** Opens what the rules go to that a configuration, which nobody has checked yet, seems to ask for. */
export function openTables({ netns, document }: Pick<AddAheadContext, 'netns' | 'document'>): ServedTables {
  const isNative = document.native_nftables === true
  const tables = isNative ? openNftables(netns, ownTables()) : openIptables(netns)
  if (tables === undefined) return { backend: 'other', fresh: false, commit: () => false, [Symbol.dispose]() {} }
  return {
    backend: isNative ? 'nftables' : 'nft',
    fresh: tables.fresh,
    commit: (batch) => tables.commit(batch),
    [Symbol.dispose]: () => tables[Symbol.dispose](),
  }
}

// internal

const ownTables = () => tableNames.map((table) => ({ family: 'inet', table }) as const)
