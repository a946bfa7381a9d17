import type { Where } from '@cni/netns/handle'
import { applyRuleset } from './apply/apply.ts'
import { type Change, changed } from './apply/change.ts'
import type { Journal } from './apply/journal.ts'
import { removeByPrefix, removeReversibly, removeRuleset } from './apply/remove.ts'
import type { ApplyReport } from './apply/report.ts'
import { diffSince, restoreSnapshot, takeSnapshot } from './apply/restore-snapshot.ts'
import { diffRuleset } from './apply/verify.ts'
import { runTransaction } from './crud/run-transaction.ts'
import type { TransactionSteps } from './crud/transaction.ts'
import type { SavedTables } from './parse/saved-tables.ts'
import type { Family, Ruleset } from './rules/model.ts'
import type { BackendKind } from './run/backend.ts'
import { openSession } from './run/session.ts'
import { type Drift, isClean } from './state/drift.ts'
import { DriftError } from './state/drift-error.ts'
import type { Snapshot, SnapshotDiff, SnapshotOptions } from './state/snapshot.ts'
import { restoreText } from './text/restore-text.ts'
import { type WatchEvent, type WatchOptions, watchRuleset } from './watch/watch.ts'
import { type IptablesOptions, openWork } from './work.ts'

/** How `remove` works. */
export interface RemoveOptions {
  /** Read before writing, so that the report can undo the removal. Default: true where the context has an `undo`. */
  readonly reversible: true
}

/** Rules in the kernel of one namespace. */
export interface Iptables {
  /** The back end that is written to. */
  backend(): Promise<BackendKind>
  /**
   * Brings the ruleset into the kernel: written when nothing of it is there, corrected when something differs, left
   * alone when it is there already. Fails as a whole: then nothing of this call stays.
   */
  apply(rules: Ruleset): Promise<ApplyReport>
  /** Throws a `DriftError` unless the kernel holds exactly this ruleset; rules of others are ignored. */
  verify(rules: Ruleset): Promise<void>
  /** What `verify` would complain about, as data. */
  diff(rules: Ruleset): Promise<Drift>
  /** What has changed since a snapshot, or differs from a text that `parseSave` read, by whomever. */
  diff(since: Snapshot | SavedTables): Promise<SnapshotDiff>
  /** Removes the ruleset's chains and rules. What is not there is fine. */
  remove(rules: Ruleset): Promise<undefined>
  remove(rules: Ruleset, options: RemoveOptions): Promise<Change>
  /** Removes all chains whose name begins with `prefix`, in all tables, and the jumps to them. */
  removeChains(prefix: string): Promise<Change>
  /** The kernel's rules as `iptables-save` prints them. */
  save(family: Family): Promise<string>
  /** Everything that the back end in use holds, as one value. Only reads. */
  snapshot(options?: SnapshotOptions): Promise<Snapshot>
  /** Makes the kernel hold what a snapshot holds, counters aside: rules that came later go, whoever wrote them. */
  restore(snapshot: Snapshot): Promise<Change>
  /**
   * Reports at once whether the ruleset stands, then drift and errors at every look while they last, and their end; until
   * aborted or left with `break`.
   */
  watch(rules: Ruleset, options?: WatchOptions): AsyncIterable<WatchEvent>
  /** Several steps on chains and rules as one: per family one process reads, one writes; all happen or none. */
  transaction<T>(steps: TransactionSteps<T>): Promise<Change>
}

/**
 * The iptables of a namespace. `where` is an open namespace, `'host'`, or a context with `netns`: its `signal` stops
 * running programs, its `undo` gets the way back before anything is written. Nothing runs before the first call.
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
  const { place, port, session, sessionOptions } = openWork(where, options)
  const print = options.print ?? restoreText
  const change = (run: (journal: Journal) => Promise<void>) => changed(session, place.undo, run)
  function diff(wanted: Ruleset): Promise<Drift>
  function diff(wanted: Snapshot | SavedTables): Promise<SnapshotDiff>
  async function diff(wanted: Ruleset | Snapshot | SavedTables): Promise<Drift> {
    return 'rules' in wanted ? diffRuleset(session, wanted) : diffSince(session, wanted)
  }
  function remove(rules: Ruleset): Promise<undefined>
  function remove(rules: Ruleset, how: RemoveOptions): Promise<Change>
  async function remove(rules: Ruleset, how?: RemoveOptions): Promise<Change | undefined> {
    const reversibly = () => change((journal) => removeReversibly(session, rules, journal))
    if (how !== undefined) return reversibly()
    if (place.undo !== undefined) await reversibly()
    else await removeRuleset(session, rules)
    return undefined
  }
  return {
    backend: async () => (await session.backends()).chosen.kind,
    apply: (rules) => applyRuleset(session, rules, { print, undo: place.undo }),
    diff,
    async verify(rules) {
      const drift = await diffRuleset(session, rules)
      if (!isClean(drift)) throw new DriftError(drift)
    },
    remove,
    removeChains: (prefix) => change((journal) => removeByPrefix(session, prefix, journal)),
    save: async (family) => session.save((await session.backends()).chosen, family),
    snapshot: (what) => takeSnapshot(session, what),
    restore: (snapshot) => change((journal) => restoreSnapshot(session, snapshot, journal)),
    async *watch(rules, how = {}) {
      const signals = [place.signal, how.signal].flatMap((each) => each ?? [])
      const signal = signals.length === 0 ? undefined : AbortSignal.any(signals)
      yield* watchRuleset(openSession(port, { ...sessionOptions, signal }), port, rules, { ...how, signal })
    },
    transaction: (steps) => change((journal) => runTransaction(session, journal, steps)),
  }
}
