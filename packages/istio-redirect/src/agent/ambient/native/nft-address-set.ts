import type { NetnsTarget } from '@cni/netns'
import { addElements, deleteElements, elementsOf, type Nft, openNft } from '@cni/nftables/wire'
import { formatAddress, parseAddress } from '@cni/types/ip'
import { type AddressSet, type ProbeEntry, probeSetNames } from '../address-set.ts'
import { hostTable } from './host-tables.ts'

/** A set in the node's table, which comes and goes with that. */
export function nftSetOf(netns: NetnsTarget, family: 'ipv4' | 'ipv6'): AddressSet {
  const set = { family: 'inet', table: hostTable, set: probeSetNames[family] } as const
  const entries = (nft: Nft): ProbeEntry[] =>
    elementsOf(nft, set).flatMap(({ key, comment }) =>
      key === undefined ? [] : [{ address: formatAddress(key), uid: comment }],
    )
  return {
    family,
    create: async () => {},
    async list() {
      using nft = openNft(netns)
      return nft.read(() => entries(nft))
    },
    async edit(plan) {
      using nft = openNft(netns)
      return nft.transact((batch) => {
        const there = entries(nft)
        const edit = plan(there)
        const known = new Set(there.map(({ address }) => address))
        // The kernel leaves the comment of an element that is there as it was.
        const anew = edit.added.filter(({ address }) => known.has(address))
        const gone = [...edit.removed, ...anew]
        if (gone.length > 0) deleteElements(batch, set, gone.map(keyOf))
        if (edit.added.length > 0) {
          addElements(
            batch,
            set,
            edit.added.map((each) => ({ ...keyOf(each), comment: each.uid })),
          )
        }
        return edit
      })
    },
    destroy: async () => {},
  }
}

// internal

function keyOf({ address }: Pick<ProbeEntry, 'address'>): { readonly key: Uint8Array } {
  const key = parseAddress(address)
  if (key === undefined) throw new TypeError(`${JSON.stringify(address)} is no address`)
  return { key }
}
