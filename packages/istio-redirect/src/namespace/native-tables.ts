import { tableNames } from '@cni/istio-rules'
import { isNetnsError, type Netns, placeOf, type Where } from '@cni/netns/handle'
import { isNftError, type Nft, openNft, restore, snapshot, type TableName } from '@cni/nftables/wire'

/** Removes nftables tables with the plugin's names. The rollback step restores the tables' content. */
export async function removeNativeTables(where: Where): Promise<boolean> {
  const { netns, undo } = placeOf(where, 'removeNativeTables')
  using nft = openNft(netns)
  const found = ownTables(nft)
  if (found.length === 0) return false
  const before = undo === undefined ? undefined : await nft.read(() => snapshot(nft, found))
  undo?.(async () => {
    using again = openNft(netns)
    await again.transact((batch) => {
      for (const table of ownTables(again)) batch.deleteTable(table)
      if (before !== undefined) restore(batch, before)
    })
  })
  await nft.transact((batch) => {
    for (const table of ownTables(nft)) batch.deleteTable(table)
  })
  return true
}

/** True if the namespace has one of the tables that the plugin writes with nftables. */
export function hasNativeTables(netns: Netns): boolean {
  using nft = openNft(netns)
  return ownTables(nft).length > 0
}

/**
 * Removes the plugin's nftables tables by {@link removeNativeTables}. Also returns false if the kernel has no
 * nf_tables, or if the plugin cannot call the kernel.
 */
export const clearNativeTables = (where: Where): Promise<boolean> =>
  unlessUnsupported(() => removeNativeTables(where), false)

/** Runs a function that uses nf_tables. Returns `otherwise` if nf_tables is unavailable. */
export async function unlessUnsupported<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isNftError(error) && error.code === 'UNSUPPORTED') return otherwise
    if (isNetnsError(error) && error.code === 'NO_FFI') return otherwise
    throw error
  }
}

const ownTables = (nft: Nft): readonly TableName[] =>
  nft.tables({ family: 'inet' }).filter(({ table }) => tableNames.includes(table))
