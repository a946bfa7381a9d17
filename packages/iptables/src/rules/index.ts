/**
 * Typed rulesets without a kernel: make them, print and parse them, compare them, trace a packet through them. Nothing here
 * imports a module of Node.
 *
 * @example
 * ```ts
 * import { explain, parseSave, restoreText, ruleset, saveText, trace } from '@cni/iptables/rules'
 *
 * const rules = ruleset({ nat: [] }, (t) => [t.nat.on('OUTPUT').not.uid(1337).proto('tcp').redirect(15001)])
 * export const input = restoreText(rules, 'ipv4')
 * export const way = explain(trace(rules, 'tcp 10.0.0.5:80 uid 1000'))
 *
 * const saved = parseSave('*nat\n-A OUTPUT -p tcp -j REDIRECT --to-ports 15001\nCOMMIT\n', 'ipv4')
 * export const text = saveText(saved)
 * ```
 *
 * @module
 */

// text
export { type CanonicalRule, canonicalRule } from '../parse/canonical.ts'
export { parseSave, type SavedChain, SavedRule, type SavedTables, saveText } from '../parse/saved-tables.ts'
// differences
export { type Drift, type DriftLine, driftText } from '../state/drift.ts'
export { diffSnapshots, type Snapshot, type SnapshotDiff } from '../state/snapshot.ts'
export { ruleLine } from '../text/quote.ts'
export { restoreText } from '../text/restore-text.ts'
export { ruleArgs } from '../text/rule-args.ts'
// a packet's way
export { explain } from '../trace/explain.ts'
export type { TraceOptions } from '../trace/options.ts'
export { type Trace, trace } from '../trace/trace.ts'
export type { TraceStep } from '../trace/walk.ts'
// rulesets
export type { Builders, RuleBuilder, TableSpec } from './builder/builder-types.ts'
export type { Ports, Protocol, Rate } from './builder/match-types.ts'
export type { IcmpType, Icmpv6Type } from './icmp-types.ts'
export type {
  AddressPair,
  AddrType,
  CtEvent,
  CtState,
  CtZone,
  Family,
  Match,
  Rule,
  Ruleset,
  SetDir,
  Table,
  Target,
} from './model.ts'
export { chainsFor, families, isBuiltin, rulesFor, tables } from './model.ts'
export { ruleset } from './ruleset.ts'
