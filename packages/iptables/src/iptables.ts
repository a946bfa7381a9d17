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

/** Rules in the kernel of one namespace. */
export interface Iptables {
  /** The back end that is written to. */
  backend(): Promise<IptablesBackend>
  /**
   * Brings the ruleset into the kernel: written when nothing of it is there, corrected when something differs, left
   * alone when it is there already. Fails as a whole: then nothing of this call stays.
   */
  apply(rules: Ruleset): Promise<ApplyReport>
  /** Throws an `IptablesError` `DRIFT` unless the kernel holds exactly this ruleset; rules of others are ignored. */
  verify(rules: Ruleset): Promise<void>
  /** What `verify` would complain about, as data. */
  diff(rules: Ruleset): Promise<Drift>
  /** What has changed since a snapshot, or differs from a text that `parseSave` read, by whomever. */
  diff(since: Snapshot | SavedTables): Promise<Required<Drift>>
  /** Removes the ruleset's chains and rules. What is not there is fine. */
  remove(rules: Ruleset): Promise<undefined>
  remove(
    rules: Ruleset,
    options: {
      /** Read before writing, so that the report can undo the removal. Default: true where the context has an `undo`. */
      readonly reversible: true
    },
  ): Promise<Change>
  /**
   * Removes all chains whose name begins with `prefix`, in all tables, and the jumps to them. A table of nf_tables that
   * holds nothing but empty built-in chains then is deleted.
   */
  removeChains(prefix: string): Promise<Change>
  /**
   * Deletes the tables of nf_tables that hold nothing but empty built-in chains with the policy ACCEPT: for a caller who
   * knows that they came with its own rules. Returns whether there were any; without netlink nothing is deleted.
   */
  removeEmptyTables(): Promise<boolean>
  /** The kernel's rules as `iptables-save` prints them. */
  save(family: Family): Promise<string>
  /** Everything that the back end in use holds, as one value. Only reads. */
  snapshot(options?: {
    /** Default: those of the `Iptables`. */
    readonly families?: readonly Family[] | undefined
    /** Default: all. */
    readonly tables?: readonly Table[] | undefined
  }): Promise<Snapshot>
  /** Makes the kernel hold what a snapshot holds, counters aside: rules that came later go, whoever wrote them. */
  restore(snapshot: Snapshot): Promise<Change>
  /**
   * Reports at once whether the ruleset stands, then drift and errors at every look while they last, and their end; until
   * aborted or left with `break`.
   */
  watch(
    rules: Ruleset,
    options?: {
      /** Ends the watch; also one that is reading just now. Default: the signal of the context. */
      readonly signal?: AbortSignal | undefined
      /** Milliseconds between two looks. Default 30 000. */
      readonly interval?: number | undefined
    },
  ): AsyncIterable<WatchEvent>
  /**
   * Several steps on chains and rules as one: per family one process reads, one writes; all happen or none. The function is
   * synchronous: an `async` one does not compile.
   */
  transaction<T>(steps: (t: Transaction) => T extends PromiseLike<unknown> ? never : T): Promise<Change>
}

/**
 * The iptables of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`: its `signal` stops
 * running programs, its `undo` gets the way back before anything is written. Nothing runs before the first call.
 * In DEL, `remove` and `removeChains` leave everything where the handle is `kept`: another attachment uses the namespace.
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
  const { place, open } = workIn(where, options)
  const { netns, undo } = place
  const change = async (run: (session: Session, journal: Journal) => Promise<void>) => {
    const { session } = await open()
    return changed(session, undo, (journal) => run(session, journal))
  }
  const nothing = () => change(async () => {})
  function diff(wanted: Ruleset): Promise<Drift>
  function diff(wanted: Snapshot | SavedTables): Promise<Required<Drift>>
  async function diff(wanted: Ruleset | Snapshot | SavedTables): Promise<Drift> {
    const { session } = await open()
    return 'rules' in wanted ? diffRuleset(session, wanted) : diffSince(session, wanted)
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
