import type { Nft, RetryOptions } from '@cni/nftables/wire'
import { tablesFrom } from '../decode/read-tables.ts'
import type { SavedTables } from '../parse/saved-tables.ts'
import { type Family, isTable } from '../rules/model.ts'
import type { Steps } from '../steps/steps.ts'
import type { Accepted } from '../steps/write-until-accepted.ts'
import { isImpostor } from './base-chains.ts'
import { addSteps, type Found, NotModelled, nftFamily, type Purpose } from './compile.ts'
import { kernelRefusal } from './refusal.ts'

/** Reads the rules of some families by netlink. All families are read in the same state of nf_tables. */
export async function readFamilies(
  nft: Nft,
  families: readonly Family[],
  options?: RetryOptions,
): Promise<SavedTables[]> {
  try {
    return await nft.read(() => findAll(nft, families).map(({ saved }) => saved), options)
  } catch (error) {
    throw kernelRefusal(error, [])
  } finally {
    nft.close()
  }
}

/** Writes all families in one netlink transaction, or returns the rule that only an iptables program can write. */
export async function editFamilies(
  nft: Nft,
  families: readonly Family[],
  plan: (seen: SavedTables) => Steps,
  options?: RetryOptions,
): Promise<Accepted[] | NotModelled> {
  let purposes: Purpose[] = []
  let attempts = 0
  try {
    return await nft.transact((batch) => {
      attempts++
      purposes = []
      return findAll(nft, families).map((found) => {
        const steps = plan(found.saved)
        addSteps(batch, found, steps, purposes)
        return { seen: found.saved, steps, attempts, generation: batch.generation }
      })
    }, options)
  } catch (error) {
    if (error instanceof NotModelled) return error
    throw kernelRefusal(error, purposes)
  } finally {
    nft.close()
  }
}

// internal

/** Reads the chains of all families with one netlink request, then the rules of those families that have chains. */
function findAll(nft: Nft, families: readonly Family[]): Found[] {
  const all = nft.chains()
  return families.map((family) => {
    const own = nftFamily(family)
    const chains = all.filter((chain) => chain.family === own && isTable(chain.table) && !isImpostor(chain))
    const rules = chains.length === 0 ? [] : nft.rules({ family: own })
    return {
      saved: tablesFrom(chains, rules, family),
      chains: new Set(chains.map(({ table, chain }) => `${table} ${chain}`)),
    }
  })
}
