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

/** nftables of one namespace. Throws `NftError`s, and for failures of the socket `NetnsError`s; then nothing has changed. */
export interface Nftables {
  /**
   * Brings the ruleset into the kernel, in one transaction: written when none of its tables is there, corrected where
   * something differs, left alone when it is there already, counters aside. What is written fresh does not mind others; a
   * correction is planned again when others change something meanwhile, as in `transaction`.
   *
   * @example
   * const others = { tables: ['ex-nat', 'ex-raw'].map((name) => ({ family: 'inet', name }) as const) }
   * await nftables(pod).apply(rules, { absent: others }) // those of them that are not in the ruleset go with it
   */
  apply(
    rules: Ruleset,
    options?: {
      /** Tables that are to be gone, whatever is in them, in the same transaction; those of the ruleset itself stay. */
      readonly absent?: { readonly tables: readonly Pick<Table, 'family' | 'name'>[] } | undefined
    },
  ): Promise<
    Change & {
      /** `fresh`: none of the tables was there. `replace`: something was, and differed, or had to go. `unchanged`: nothing was written. */
      readonly plan: 'fresh' | 'replace' | 'unchanged'
    }
  >
  /** Throws `NftError('DRIFT')`, with what differs as `drift`, unless the tables hold exactly this ruleset; tables of others are not looked at. */
  verify(rules: Ruleset, options?: Parameters<Nftables['apply']>[1]): Promise<void>
  /** What `verify` would complain about, as data. */
  diff(rules: Ruleset, options?: Parameters<Nftables['apply']>[1]): Promise<Drift>
  /**
   * Has the kernel check what `apply` would write, and changes nothing: `NftError('REFUSED')` with every rule that it would
   * refuse.
   */
  check(rules: Ruleset): Promise<void>
  /**
   * Deletes the tables of the ruleset with everything in them. A missing table is fine. In DEL it leaves them where the
   * handle is `kept`: another attachment uses the namespace.
   */
  remove(rules: { readonly tables: readonly Pick<Table, 'family' | 'name'>[] }): Promise<Change>
  /**
   * A named set or map of a table that is there, whoever made it.
   *
   * @example
   * const pods = nftables('host').set({ family: 'inet', table: 'mesh' }, { name: 'pods', key: 'ipv4_addr' })
   * await pods.replace(['10.0.0.5', { key: '10.0.0.6', comment: 'uid-2' }]) // 'unchanged' when equal
   */
  set(table: TableName, spec: NamedSet): TableSet
  /**
   * Several changes as one, that depend on nothing that was read: the way for what belongs to one pod in a table for all.
   * `tables` are those that it changes. It is sent once, whatever others write at the same time. A context's `undo` takes
   * back what was changed, and no more.
   *
   * @example
   * const chain = { family: 'inet', table: 'mesh', chain: attachmentName(c, 'pod-', 28) } as const
   * await nftables({ ...c, netns: 'host' }).write([chain], (batch) => batch.addTable(chain).addChain(chain))
   */
  write(tables: readonly TableName[], fill: (batch: Batch) => unknown): Promise<Change>
  /**
   * Several changes as one, by what is read: the function is called again when others change something in the namespace
   * meanwhile, after growing pauses, until the call's `signal`, without one for 10 s (`CHANGED`, in CNI code 11).
   * `tables` are those that it changes; a context's `undo` takes back what was changed, and no more.
   */
  transaction<T>(
    tables: readonly TableName[],
    steps: (batch: Batch, nft: Nft) => T,
  ): Promise<Change & { readonly value: T }>
  /** Everything in some tables, or in all, as bytes: also what this package does not model. Only reads. */
  snapshot(tables?: readonly TableName[]): Promise<Snapshot>
  /** Makes the tables of a snapshot what it has of them, whatever they hold now. */
  restore(snapshot: Snapshot): Promise<Change>
}

/**
 * nftables of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`: its `undo` gets the way back
 * before anything is written. Nothing happens before the first call.
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
     * A socket for all calls, which stays open: for programs that live long, and tests. Default: one for each call, opened in
     * the namespace.
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
