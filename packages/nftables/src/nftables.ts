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
 * nftables of one namespace. Methods throw `NftError`, and `NetnsError` for failures of the socket; then nothing has
 * changed.
 */
export interface Nftables {
  /**
   * Writes the ruleset in one transaction. Writes everything if none of its tables exists. Otherwise corrects
   * differences; counters are ignored. Concurrent changes do not disturb a first write. A correction is computed again
   * if another process changes rules meanwhile, as in `transaction`.
   *
   * @example
   * const others = { tables: ['ex-nat', 'ex-raw'].map((name) => ({ family: 'inet', name }) as const) }
   * await nftables(pod).apply(rules, { absent: others }) // those of them that are not in the ruleset go with it
   */
  apply(
    rules: Ruleset,
    options?: {
      /** Tables to delete with their content in the same transaction. Tables of the ruleset stay. */
      readonly absent?: { readonly tables: readonly Pick<Table, 'family' | 'name'>[] } | undefined
    },
  ): Promise<
    Change & {
      /**
       * Kind of change. `fresh`: none of the tables existed. `replace`: some existed and differed, or were deleted.
       * `unchanged`: nothing was written.
       */
      readonly plan: 'fresh' | 'replace' | 'unchanged'
    }
  >
  /**
   * Throws `NftError('DRIFT')` with the differences as `drift`, unless the tables hold exactly this ruleset. Ignores
   * other tables.
   */
  verify(rules: Ruleset, options?: Parameters<Nftables['apply']>[1]): Promise<void>
  /** Differences that `verify` would report, as data. */
  diff(rules: Ruleset, options?: Parameters<Nftables['apply']>[1]): Promise<Drift>
  /**
   * Lets the kernel validate what `apply` would write, without changes. Throws `NftError('REFUSED')` with every rule
   * that the kernel refuses.
   */
  check(rules: Ruleset): Promise<void>
  /**
   * Deletes the tables of the ruleset with their content. Missing tables are ignored. In DEL it keeps the tables if the
   * handle is `kept`: another attachment uses the namespace.
   */
  remove(rules: { readonly tables: readonly Pick<Table, 'family' | 'name'>[] }): Promise<Change>
  /**
   * A named set or map of an existing table, of any program.
   *
   * @example
   * const pods = nftables('host').set({ family: 'inet', table: 'mesh' }, { name: 'pods', key: 'ipv4_addr' })
   * await pods.replace(['10.0.0.5', { key: '10.0.0.6', comment: 'uid-2' }]) // 'unchanged' when equal
   */
  set(table: TableName, spec: NamedSet): TableSet
  /**
   * Makes several changes as one, without reading first. Use it for the rules of one pod in a table that all pods
   * share. `tables` are the changed tables. The batch is sent once; concurrent writes of other processes do not matter.
   * The context's `undo` rolls back exactly these changes.
   *
   * @example
   * const chain = { family: 'inet', table: 'mesh', chain: attachmentName(c, 'pod-', 28) } as const
   * await nftables({ ...c, netns: 'host' }).write([chain], (batch) => batch.addTable(chain).addChain(chain))
   */
  write(tables: readonly TableName[], fill: (batch: Batch) => unknown): Promise<Change>
  /**
   * Makes several changes as one that depend on the current rules. The function is called again, after growing pauses,
   * if another process changes rules of the namespace meanwhile. Retries end with the call's `signal`; without a signal
   * after 10 s (`CHANGED`, CNI code 11). The list `tables` has the changed tables. The context's `undo` rolls back
   * exactly these changes.
   */
  transaction<T>(
    tables: readonly TableName[],
    steps: (batch: Batch, nft: Nft) => T,
  ): Promise<Change & { readonly value: T }>
  /** Reads some tables, or all, as bytes, including parts that this package does not model. */
  snapshot(tables?: readonly TableName[]): Promise<Snapshot>
  /** Replaces the tables of a snapshot by their content in the snapshot. */
  restore(snapshot: Snapshot): Promise<Change>
}

/**
 * nftables of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`. The context's `undo`
 * receives the rollback before anything is written. The socket opens with the first call.
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
     * One socket for all calls, for programs that live long, and for tests. It stays open. Default: each call opens a
     * socket in the namespace.
     */
    readonly nft?: Nft | undefined
  } = {},
): Nftables {
  const place: Place = placeOf(where, 'nftables')
  const work: Work = { place, nft }
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
