import { tableNames } from '@cni/istio-rules'
import { isNetnsError, type Netns, placeOf, type Where } from '@cni/netns/handle'
import { isNftError, type Nft, openNft, restore, snapshot, type TableName } from '@cni/nftables/wire'

/** Removes nftables tables with the plugin's names. The rollback step restores their content. */
export async function removeNativeTables(where: Where): Promise<boolean> {
  const { netns, undo } = placeOf(where, 'removeNativeTables')
  using nft = openNft(netns)
  const found = there(nft)
  if (found.length === 0) return false
  const before = undo === undefined ? undefined : await nft.read(() => snapshot(nft, found))
  undo?.(async () => {
    using again = openNft(netns)
    await again.transact((batch) => {
      for (const table of there(again)) batch.deleteTable(table)
      if (before !== undefined) restore(batch, before)
    })
  })
  await nft.transact((batch) => {
    for (const table of there(nft)) batch.deleteTable(table)
  })
  return true
}

/** True if the namespace has one of the tables that the plugin writes with nftables. */
export function hasNativeTables(netns: Netns): boolean {
  using nft = openNft(netns)
  return there(nft).length > 0
}

/** Removes the plugin's nftables tables. Unlike {@link removeNativeTables}, never fails for a missing nf_tables. */
export async function clearNativeTables(where: Where): Promise<boolean> {
  try {
    return await removeNativeTables(where)
  } catch (error) {
    if (isNftError(error) && error.code === 'UNSUPPORTED') return false
    if (isNetnsError(error) && error.code === 'NO_FFI') return false
    throw error
  }
}

const there = (nft: Nft): readonly TableName[] =>
  nft.tables({ family: 'inet' }).filter(({ table }) => tableNames.includes(table))
