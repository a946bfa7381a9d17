import { applyRuleset } from './apply/apply.ts'
import { type Change, changed } from './apply/change.ts'
import type { Journal } from './apply/journal.ts'
import { removeByPrefix, removeReversibly, removeRuleset } from './apply/remove.ts'
import type { ApplyReport } from './apply/report.ts'
import { diffSince, restoreSnapshot, takeSnapshot } from './apply/restore-snapshot.ts'
import { diffRuleset } from './apply/verify.ts'
import { hasRule, type ListedChain, type ListedRule, listChains, listRules } from './crud/listing.ts'
import { runTransaction } from './crud/run-transaction.ts'
import type { Transaction } from './crud/transaction.ts'
import type { Family, Rule, Ruleset, Table } from './rules/model.ts'
import { checkInteger } from './rules/numbers.ts'
import type { BackendKind } from './run/backend.ts'
import { netnsPort } from './run/netns-port.ts'
import type { IptablesPort } from './run/port.ts'
import { checkFamilies, openSession } from './run/session.ts'
import { placeOf, type Where } from './run/where.ts'
import { type Drift, isClean } from './state/drift.ts'
import { DriftError } from './state/drift-error.ts'
import type { NetnsSnapshot, SnapshotDiff, SnapshotOptions } from './state/netns-snapshot.ts'
import { restoreText } from './text/restore-text.ts'
import { type WatchEvent, type WatchOptions, watchRuleset } from './watch/watch.ts'

/** How to reach the kernel. Everything is optional. */
export interface IptablesOptions {
  /** Default `'auto'`: legacy if it holds rules in the namespace, else what the node's `iptables-restore` is. */
  readonly backend?: BackendKind | 'auto' | undefined
  /** Default: IPv4, and IPv6 if the kernel has it in the namespace. */
  readonly families?: readonly Family[] | undefined
  /** Seconds to wait for the lock of the legacy back end, at least 1. Default 30. */
  readonly wait?: number | undefined
  /** Hide the node's nsswitch.conf from the programs, so that no name lookup leaves the pod. Default: true. */
  readonly shield?: boolean | undefined
  /** Prints the text of a first `apply`; default `restoreText`. Its `-N` lines are what makes a second one safe. */
  readonly print?: ((rules: Ruleset, family: Family) => string) | undefined
  /** What runs programs and reads files; for tests. */
  readonly port?: IptablesPort | undefined
}

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
  /** What has changed since a snapshot, by whomever. */
  diff(since: NetnsSnapshot): Promise<SnapshotDiff>
  /** Removes the ruleset's chains and rules. What is not there is fine. */
  remove(rules: Ruleset): Promise<undefined>
  remove(rules: Ruleset, options: RemoveOptions): Promise<Change>
  /** Removes all chains whose name begins with `prefix`, in all tables, and the jumps to them. */
  removeChains(prefix: string): Promise<Change>
  /** The kernel's rules as `iptables-save` prints them. */
  save(family: Family): Promise<string>
  /** Everything that the back end in use holds, as one value. Only reads. */
  snapshot(options?: SnapshotOptions): Promise<NetnsSnapshot>
  /** Makes the kernel hold what a snapshot holds, counters aside: rules that came later go, whoever wrote them. */
  restore(snapshot: NetnsSnapshot): Promise<Change>
  /**
   * Reports at once whether the ruleset stands, then drift and errors at every look while they last, and their end; until
   * aborted or left with `break`.
   */
  watch(rules: Ruleset, options?: WatchOptions): AsyncIterable<WatchEvent>
  /** Several steps on chains and rules as one: per family one process reads, one writes; all happen or none. */
  transaction(steps: (t: Transaction) => void): Promise<Change>
  /** A transaction of one step, as are the next seven; `Transaction` says what each does. */
  createChain(table: Table, chain: string): Promise<Change>
  flushChain(table: Table, chain: string): Promise<Change>
  deleteChain(table: Table, chain: string): Promise<Change>
  renameChain(table: Table, from: string, to: string): Promise<Change>
  appendRule(rule: Rule): Promise<Change>
  insertRule(rule: Rule): Promise<Change>
  ensureRule(rule: Rule): Promise<Change>
  deleteRule(rule: Rule): Promise<Change>
  /** Whether the rule stands in its chain, in every family that it is for. */
  hasRule(rule: Rule): Promise<boolean>
  /** The chains of a table, family by family. */
  listChains(table: Table): Promise<ListedChain[]>
  /** The rules of a chain, family by family; none when there is no such chain. */
  listRules(table: Table, chain: string): Promise<ListedRule[]>
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
  const place = placeOf(where)
  const port = options.port ?? netnsPort(place, { shield: options.shield ?? true })
  const sessionOptions = {
    backend: options.backend ?? 'auto',
    families: checkFamilies(options.families),
    // 0 would be for ever, in iptables 1.8.9 as well as no --wait at all.
    wait: checkInteger(options.wait ?? 30, 1, 3600, 'wait'),
    signal: place.signal,
    log: place.log,
  }
  const session = openSession(port, sessionOptions)
  const print = options.print ?? restoreText
  const change = (run: (journal: Journal) => Promise<void>) => changed(session, place.undo, run)
  const transaction = (steps: (t: Transaction) => void) => change((journal) => runTransaction(session, journal, steps))
  function diff(wanted: Ruleset): Promise<Drift>
  function diff(wanted: NetnsSnapshot): Promise<SnapshotDiff>
  async function diff(wanted: Ruleset | NetnsSnapshot): Promise<Drift> {
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
    transaction,
    createChain: (table, chain) => transaction((t) => t.createChain(table, chain)),
    flushChain: (table, chain) => transaction((t) => t.flushChain(table, chain)),
    deleteChain: (table, chain) => transaction((t) => t.deleteChain(table, chain)),
    renameChain: (table, from, to) => transaction((t) => t.renameChain(table, from, to)),
    appendRule: (rule) => transaction((t) => t.appendRule(rule)),
    insertRule: (rule) => transaction((t) => t.insertRule(rule)),
    ensureRule: (rule) => transaction((t) => t.ensureRule(rule)),
    deleteRule: (rule) => transaction((t) => t.deleteRule(rule)),
    hasRule: (rule) => hasRule(session, rule),
    listChains: (table) => listChains(session, table),
    listRules: (table, chain) => listRules(session, table, chain),
  }
}
