import type { Nft, NftChain, NftTable, RetryOptions } from '@cni/nftables/wire'
import { type Family, families, isBuiltin, isTable, type Table } from '../rules/model.ts'
import { isImpostor } from './base-chains.ts'
import { nftFamily } from './compile.ts'
import { kernelRefusal } from './refusal.ts'

/** True for a table that may be deleted, by family and name. */
export type MayDelete = (family: Family, table: Table) => boolean

/** Deletes iptables tables that have no effect on packets. Returns true if it deleted a table. */
export async function deleteEmptyTables(nft: Nft, mayDelete: MayDelete, options?: RetryOptions): Promise<boolean> {
  try {
    return await nft.transact((batch) => {
      const chains = nft.chains()
      const empty = nft.tables().filter((table) => isSelected(table, mayDelete) && isEmpty(table, chains))
      for (const { family, table } of empty) batch.deleteTable({ family, table })
      return empty.length > 0
    }, options)
  } catch (error) {
    throw kernelRefusal(error, [])
  } finally {
    nft.close()
  }
}

// internal

function isSelected({ family, table }: NftTable, mayDelete: MayDelete): boolean {
  const found = families.find((each) => nftFamily(each) === family)
  return found !== undefined && isTable(table) && mayDelete(found, table)
}

function isEmpty({ family, table, flags = 0, use = 0 }: NftTable, chains: readonly NftChain[]): boolean {
  const own = chains.filter((chain) => chain.family === family && chain.table === table)
  // A use count above the number of chains means that the table contains sets or objects.
  return flags === 0 && use <= own.length && own.every(isUnused)
}

const isUnused = (chain: NftChain): boolean =>
  isTable(chain.table) &&
  isBuiltin(chain.table, chain.chain) &&
  !isImpostor(chain) &&
  chain.policy !== 'drop' &&
  (chain.use ?? 0) === 0
