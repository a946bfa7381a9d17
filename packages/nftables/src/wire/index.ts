/**
 * Transactions, expressions, lists and events of nf_tables over netlink. Runs no program.
 *
 * @example
 * ```ts
 * import { netns } from '@cni/netns'
 * import { Batch, openNft } from '@cni/nftables/wire'
 *
 * using pod = netns.open('/run/netns/cni-7f3a')
 * using nft = openNft(pod)
 * const chain = { family: 'inet', table: 'ex', chain: 'output' } as const
 * nft.commit(
 *   new Batch()
 *     .addTable(chain)
 *     .addChain({ ...chain, base: { type: 'filter', hook: 'output', priority: 0 } })
 *     .addRule({
 *       ...chain,
 *       expressions: [
 *         { name: 'meta', key: 'l4proto', dreg: 1 },
 *         { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(6) },
 *         { name: 'counter' },
 *         { name: 'immediate', dreg: 0, data: { verdict: 'drop' } },
 *       ],
 *       comment: 'no TCP',
 *     }),
 * )
 * export const handles = nft.rules(chain).map(({ handle }) => handle)
 * ```
 *
 * @module
 */

export { Batch } from './batch/batch.ts'
export { compatOf } from './batch/compat.ts'
export type { Dumps } from './dumps/dumps.ts'
export type { NftChain, NftRule, NftTable } from './dumps/records.ts'
export type { NftElement, NftSet } from './dumps/set-records.ts'
export { addElements, addSet, deleteElements, deleteSet, elementsOf, setsOf } from './dumps/sets.ts'
export { restore, type Snapshot, snapshot } from './dumps/snapshot.ts'
export { type Commit, changesOf, commits, openCommits } from './events/commits.ts'
export { decodeExpressions, encodeExpressions } from './expressions/expression.ts'
export type { Expression, Expressions } from './expressions/expression-types.ts'
export type { Family } from './family.ts'
export type { Verdict } from './fields/verdict.ts'
export { type Nft, openNft } from './nft.ts'
export { isNftError, NftError } from './nft-error.ts'
export type { RetryOptions } from './retry.ts'
export type { BaseChain, ChainName, ElementSpec, RuleSpec, SetName, SetSpec, TableName } from './specs.ts'
