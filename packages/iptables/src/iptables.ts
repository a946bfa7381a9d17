import { keptIn, type Where } from '@cni/netns/handle'
import { applyRuleset } from './apply/apply.ts'
import { type Change, changed } from './apply/change.ts'
import type { Journal } from './apply/journal.ts'
import { removeByPrefix, removeReversibly, removeRuleset } from './apply/remove.ts'
import type { ApplyReport } from './apply/report.ts'
import { diffSince, restoreSnapshot, takeSnapshot } from './apply/restore-snapshot.ts'
import { diffRuleset, verifyRuleset } from './apply/verify.ts'
import { runTransaction } from './crud/run-transaction.ts'
import type { Transaction } from './crud/transaction.ts'
import type { Drift } from './drift.ts'
import type { IptablesBackend } from './iptables-backend.ts'
import type { SavedTables } from './parse/saved-tables.ts'
import type { Family, Ruleset, Table } from './rules/model.ts'
import type { Session } from './session/session.ts'
import type { Snapshot } from './state/snapshot.ts'
import type { WatchEvent } from './watch/watch.ts'
import { watchFrom } from './watch/watch-from.ts'
import { type IptablesOptions, workIn } from './work.ts'

/** Access to the iptables rules of one network namespace. */
export interface Iptables {
  /** Back end that `apply` and other calls write to in this namespace. */
  backend(): Promise<IptablesBackend>
  /** Writes the ruleset if it is missing, and corrects differences. A failed call leaves no change. */
  apply(rules: Ruleset): Promise<ApplyReport>
  /**
   * Throws an `IptablesError` `DRIFT` unless the kernel holds exactly this ruleset. Ignores rules of other programs.
   */
  verify(rules: Ruleset): Promise<void>
  /** Returns, as data, the differences for which `verify` would throw an error. */
  diff(rules: Ruleset): Promise<Drift>
  /** Returns the kernel's differences from a snapshot or saved text. Also reports changes by other programs. */
  diff(since: Snapshot | SavedTables): Promise<Required<Drift>>
  /** Removes the ruleset's chains and rules. Missing chains and rules are not an error. */
  remove(rules: Ruleset): Promise<undefined>
  remove(
    rules: Ruleset,
    options: {
      /**
       * True to read the rules before deleting them, as `undo` needs. Default: true if the plugin's context has an
       * `undo`.
       */
      readonly reversible: true
    },
  ): Promise<Change>
  /**
   * Removes all chains whose name begins with `prefix`, and all jumps to these chains. Afterwards, deletes the empty
   * tables as `removeEmptyTables` does.
   */
  removeChains(prefix: string): Promise<Change>
  /**
   * Deletes tables of nf_tables that hold only empty chains with policy ACCEPT. Returns true if a table was deleted.
   * Deletes nothing if netlink cannot be used.
   */
  removeEmptyTables(): Promise<boolean>
  /** Reads the kernel's rules as text, as `iptables-save` prints them. */
  save(family: Family): Promise<string>
  /** Reads all rules, chains and policies of the back end in use as a snapshot. Changes nothing. */
  snapshot(options?: {
    /**
     * Families to include in the snapshot. Default: the families that the option `families` of `iptables()` selects.
     */
    readonly families?: readonly Family[] | undefined
    /** Tables to include in the snapshot. Default: all tables. */
    readonly tables?: readonly Table[] | undefined
  }): Promise<Snapshot>
  /** Restores the rules of a snapshot, except counters. Removes all later rules, also rules of other programs. */
  restore(snapshot: Snapshot): Promise<Change>
  /**
   * Watches the ruleset in the kernel. The first event tells if the ruleset is intact. Later events report drift, an
   * error, or the end of a drift. The watch ends on abort or `break`.
   */
  watch(
    rules: Ruleset,
    options?: {
      /** AbortSignal that ends the watch, also during a read. The context's `signal` also ends the watch. */
      readonly signal?: AbortSignal | undefined
      /** Milliseconds between two checks of a watch. Default: 30 000. */
      readonly interval?: number | undefined
    },
  ): AsyncIterable<WatchEvent>
  /**
   * Runs several changes of chains and rules as one transaction. The callback must be synchronous: an `async` callback
   * does not compile.
   */
  transaction<T>(steps: (t: Transaction) => T extends PromiseLike<unknown> ? never : T): Promise<Change>
}

/**
 * Creates the access to a namespace's iptables rules. `where` is an open namespace, `'host'`, or a context with
 * `netns`. An abort of the context's `signal` stops the programs that are running. The context's `undo` registers the
 * undo step before the first write.
 *
 * During a CNI DEL, `remove` and `removeChains` skip a `kept` namespace: another attachment uses it.
 *
 * @example
 * ```ts
 * import { iptables, ruleset } from '@cni/iptables'
 * import { netns } from '@cni/netns'
 *
 * const rules = ruleset({ nat: ['EX'] }, (t) => [
 *   t.nat.on('OUTPUT').proto('tcp').dport(80).jump('EX'),
 *   t.nat.on('EX').proto('tcp').redirect(8080),
 * ])
 * export async function redirect(path: string) {
 *   using pod = netns.open(path)
 *   const { plan } = await iptables(pod).apply(rules) // 'fresh'; a second time 'unchanged'
 *   return plan
 * }
 * ```
 */
export function iptables(where: Where, options: IptablesOptions = {}): Iptables {
  const { context, open } = workIn(where, options)
  const { netns, undo } = context
  const change = async (run: (session: Session, journal: Journal) => Promise<void>) => {
    const { session } = await open()
    return changed(session, undo, (journal) => run(session, journal))
  }
  const nothing = () => change(async () => {})
  function diff(desired: Ruleset): Promise<Drift>
  function diff(desired: Snapshot | SavedTables): Promise<Required<Drift>>
  async function diff(desired: Ruleset | Snapshot | SavedTables): Promise<Drift> {
    const { session } = await open()
    return 'rules' in desired ? diffRuleset(session, desired) : diffSince(session, desired)
  }
  function remove(rules: Ruleset): Promise<undefined>
  function remove(rules: Ruleset, how: { reversible: true }): Promise<Change>
  async function remove(rules: Ruleset, how?: { reversible: true }): Promise<Change | undefined> {
    if (keptIn(netns) !== undefined) return how === undefined ? undefined : nothing()
    const reversibly = () => change((session, journal) => removeReversibly(session, rules, journal))
    if (how !== undefined) return reversibly()
    if (undo !== undefined) await reversibly()
    else await removeRuleset((await open()).session, rules)
    return undefined
  }
  return {
    async backend() {
      const { session } = await open()
      return (await session.backends()).chosen.kind
    },
    async apply(rules) {
      return applyRuleset((await open()).session, rules, { print: options.print, undo })
    },
    diff,
    async verify(rules) {
      await verifyRuleset((await open()).session, rules)
    },
    remove,
    removeChains: (prefix) =>
      keptIn(netns) === undefined ? change((session, journal) => removeByPrefix(session, prefix, journal)) : nothing(),
    async removeEmptyTables() {
      if (keptIn(netns) !== undefined) return false
      const { session } = await open()
      return session.deleteEmptyTables(() => true)
    },
    async save(family) {
      const { session } = await open()
      return session.save((await session.backends()).chosen, family)
    },
    async snapshot(what) {
      return takeSnapshot((await open()).session, what)
    },
    restore: (snapshot) => change((session, journal) => restoreSnapshot(session, snapshot, journal)),
    async *watch(rules, how) {
      yield* watchFrom(await open(), rules, how)
    },
    transaction: (steps) => change((session, journal) => runTransaction(session, journal, steps)),
  }
}
