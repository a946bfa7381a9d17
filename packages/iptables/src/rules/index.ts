/**
 * Typed rulesets without a kernel: build, print, parse, compare and trace them. Imports no Node.js module.
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

// differences
export type { Drift, DriftLine } from '../drift.ts'
// text
export type { CanonicalRule } from '../parse/canonical.ts'
export { parseSave, type SavedRule, type SavedTables, saveText } from '../parse/saved-tables.ts'
export { driftText } from '../state/drift.ts'
export { diffSnapshots, type Snapshot } from '../state/snapshot.ts'
export { ruleLine } from '../text/quote.ts'
export { restoreText } from '../text/restore-text.ts'
export { ruleArgs } from '../text/rule-args.ts'
// Exports for packet traces.
export { explain } from '../trace/explain.ts'
export type { TraceOptions } from '../trace/options.ts'
export { trace } from '../trace/trace.ts'
export type { Trace } from '../trace/trace-types.ts'
// Exports for rulesets. The types `Ruleset` and `Rule` are exports of `@cni/iptables`.
export type { Builders, RuleBuilder, TableSpec } from './builder/builder-types.ts'
export type { AddressPair, Family, Match, Table, Target } from './model.ts'
export { chainsFor, families, isBuiltin, rulesFor } from './model.ts'
export type { RuleWords } from './rule-words.ts'
export { ruleset } from './ruleset.ts'
