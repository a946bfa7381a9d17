/**
 * nf_tables over netlink, below any rule language: changes to any tables in one transaction, rules as expressions, what is
 * there, who changed it. No program is run.
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

export { Batch } from './batch.ts'
export { type Commit, changesOf, commits, openCommits } from './commits.ts'
export { compatOf } from './compat.ts'
export { decodeExpressions, encodeExpressions } from './expression.ts'
export type { Expression, Expressions } from './expressions.ts'
export type { Family } from './family.ts'
export { type FreshNftables, freshWhere } from './fresh-where.ts'
export { type Nft, nftOver, openNft } from './nft.ts'
export { type Fault, isNftError, NftError } from './nft-error.ts'
export type { Patience } from './patience.ts'
export type { NftChain, NftRule, NftTable } from './records.ts'
export type { NftElement, NftSet } from './set-records.ts'
export { addElements, addSet, deleteElements, deleteSet, elementsOf, setsOf } from './sets.ts'
export { restore, type Snapshot, snapshot } from './snapshot.ts'
export type {
  BaseChain,
  ChainName,
  Compat,
  ElementSpec,
  Place,
  RuleSpec,
  SetName,
  SetSpec,
  TableName,
} from './specs.ts'
export { openTraces, type Trace, traceOn, traces } from './traces.ts'
export { decodeUserdata, encodeUserdata } from './userdata.ts'
export type { Verdict } from './verdict.ts'
