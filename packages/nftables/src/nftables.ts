import { type Place, placeOf, type Where } from '@cni/netns/handle'
import { applyRuleset } from './apply/apply.ts'
import { removeRuleset } from './apply/remove.ts'
import type { Change } from './apply/report.ts'
import { restoreSnapshot, takeSnapshot } from './apply/snapshots.ts'
import { checkRuleset, runTransaction, runWrite } from './apply/transaction.ts'
import { type Work, withNft } from './apply/work.ts'
import type { NamedSet, Ruleset, Table } from './rules/model.ts'
import { type TableSet, tableSet } from './sets/table-set.ts'
import { driftOf } from './verify/diff.ts'
import { verifyRuleset } from './verify/verify.ts'
import type { Batch } from './wire/batch/batch.ts'
import type { Snapshot } from './wire/dumps/snapshot.ts'
import type { Nft } from './wire/nft.ts'
import type { Drift } from './wire/nft-error.ts'
import type { TableName } from './wire/specs.ts'

/**
 * nftables of one network namespace. Methods throw `NftError`, or `NetnsError` if the netlink socket fails. A method
 * that throws has changed no rule.
 */
export interface Nftables {
  /**
   * Writes a ruleset in one transaction. Writes everything if none of the ruleset's tables exists, even if other
   * processes change rules meanwhile. Otherwise corrects the differences and ignores counters. Corrects again if
   * another process changes rules meanwhile, as in `transaction`.
   *
   * @example
   * const others = { tables: ['ex-nat', 'ex-raw'].map((name) => ({ family: 'inet', name }) as const) }
   * await nftables(pod).apply(rules, { absent: others }) // also deletes `others`, except tables of `rules`
   */
  apply(
    rules: Ruleset,
    options?: {
      /**
       * Option `absent` of `apply`: tables to delete with their content in the same transaction. Tables of the ruleset
       * stay.
       */
      readonly absent?: { readonly tables: readonly Pick<Table, 'family' | 'name'>[] } | undefined
    },
  ): Promise<
    Change & {
      /**
       * Kind of change that `apply` made. `fresh`: none of the tables existed, and all were written. `replace`: tables
       * existed and were corrected or deleted. `unchanged`: nothing was written.
       */
      readonly plan: 'fresh' | 'replace' | 'unchanged'
    }
  >
  /**
   * Compares the kernel's tables with a ruleset. Throws `NftError('DRIFT')` with the differences as `drift`. Ignores
   * tables that are not in the ruleset.
   */
  verify(rules: Ruleset, options?: Parameters<Nftables['apply']>[1]): Promise<void>
  /** Differences between a ruleset and the kernel that `verify` would report, as data. */
  diff(rules: Ruleset, options?: Parameters<Nftables['apply']>[1]): Promise<Drift>
  /**
   * Lets the kernel validate the changes of `apply` without making them. Throws `NftError('REFUSED')` with every
   * refused rule.
   */
  check(rules: Ruleset): Promise<void>
  /**
   * Deletes the tables of the ruleset with their content. Ignores missing tables. CNI DEL keeps the tables while
   * another attachment uses the namespace.
   */
  remove(rules: { readonly tables: readonly Pick<Table, 'family' | 'name'>[] }): Promise<Change>
  /**
   * Opens a named set or map of an existing table.
   *
   * @example
   * const pods = nftables('host').set({ family: 'inet', table: 'mesh' }, { name: 'pods', key: 'ipv4_addr' })
   * await pods.replace(['10.0.0.5', { key: '10.0.0.6', comment: 'uid-2' }]) // 'unchanged' when equal
   */
  set(table: TableName, spec: NamedSet): TableSet
  /**
   * Makes several changes in one transaction, without reading the current rules. Use it for the rules of one pod in a
   * shared table. The argument `tables` names the tables to change. Changes of rules by other processes do not disturb
   * the write. The context's `undo` rolls back exactly these changes.
   *
   * @example
   * const chain = { family: 'inet', table: 'mesh', chain: attachmentName(c, 'pod-', 28) } as const
   * await nftables({ ...c, netns: 'host' }).write([chain], (batch) => batch.addTable(chain).addChain(chain))
   */
  write(tables: readonly TableName[], fill: (batch: Batch) => unknown): Promise<Change>
  /**
   * Makes several changes that may depend on the current rules. The kernel commits all changes in one transaction. The
   * argument `tables` names the tables to change. Calls `steps` again if another process changes rules of the namespace
   * in between. Retries end with the call's AbortSignal. Without a signal, retries end after 10 s (`CHANGED`, CNI code
   * 11). The context's `undo` rolls back exactly these changes.
   */
  transaction<T>(
    tables: readonly TableName[],
    steps: (batch: Batch, nft: Nft) => T,
  ): Promise<Change & { readonly value: T }>
  /** Reads some tables of the namespace, or all, for `restore`. Includes objects that this package does not model. */
  snapshot(tables?: readonly TableName[]): Promise<Snapshot>
  /** Gives the tables of a snapshot their earlier content again. */
  restore(snapshot: Snapshot): Promise<Change>
}

/**
 * nftables of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`. The context's `undo`
 * receives the rollback before anything is written.
 *
 * @example
 * ```ts
 * import { netns } from '@cni/netns'
 * import { nftables } from '@cni/nftables'
 * import { base, nftRuleset } from '@cni/nftables/rules'
 *
 * const rules = nftRuleset('inet', { ex: { output: base('nat', 'output', -100) } }, (t) => [
 *   t.ex.on('output').tcp('dport', 80).counter().redirect(8080),
 * ])
 * export async function redirect(path: string) {
 *   using pod = netns.open(path)
 *   const { plan } = await nftables(pod).apply(rules) // 'fresh'; a second time 'unchanged'
 *   return plan
 * }
 * ```
 */
export function nftables(
  where: Where,
  {
    nft,
  }: {
    /**
     * Open netlink socket that all calls use, for long-running programs and tests. Default: each call opens a socket in
     * the namespace.
     */
    readonly nft?: Nft | undefined
  } = {},
): Nftables {
  const context: Place = placeOf(where, 'nftables')
  const work: Work = { context, nft }
  return {
    apply: (rules, options) => applyRuleset(work, rules, options),
    verify: (rules, options) => withNft(work, (socket) => verifyRuleset(socket, rules, options)),
    diff: (rules, options) => withNft(work, (socket) => driftOf(socket, rules, options)),
    check: (rules) => checkRuleset(work, rules),
    remove: (rules) => removeRuleset(work, rules),
    set: (table, spec) => tableSet(work, table, spec),
    write: (tables, fill) => runWrite(work, tables, fill),
    transaction: (tables, steps) => runTransaction(work, tables, steps),
    snapshot: (tables) => takeSnapshot(work, tables),
    restore: (snapshot) => restoreSnapshot(work, snapshot),
  }
}
