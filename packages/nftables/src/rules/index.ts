/**
 * Builds, prints, parses and traces typed nftables rulesets. Imports no Node.js module.
 *
 * @example
 * ```ts
 * import { base, explain, nftRuleset, printRuleset, trace } from '@cni/nftables/rules'
 *
 * const rules = nftRuleset('inet', { ex: { output: base('nat', 'output', -100) } }, (t) => [
 *   t.ex.on('output').skuid(1337).return(),
 *   t.ex.on('output').l4proto('tcp').redirect(15001),
 * ])
 * export const listing = printRuleset(rules)
 * export const text = explain(trace(rules, 'tcp 10.0.0.5:80 uid 1000'))
 * ```
 *
 * @module
 */

// text
export { parseListing } from '../parse/parse-listing.ts'
export { printRuleset } from '../print/print-ruleset.ts'
export { ruleText } from '../print/rule.ts'
// Functions that trace a packet through a ruleset.
export { explain } from '../trace/explain.ts'
export { trace } from '../trace/trace.ts'
export type { Trace, TraceOptions } from '../trace/trace-types.ts'
// differences
export { driftText } from '../verify/drift.ts'
export type { Drift } from '../wire/nft-error.ts'
// rulesets
export type { Builders, RuleBuilder } from './builder/builder-types.ts'
export type { Ended, Placed, TableParts } from './builder/context.ts'
export { type BasePart, base, chain, map, type SetPart, set } from './builder/parts.ts'
export type { Chain, NamedSet, Rule, Ruleset, SetElement, Table } from './model.ts'
export { nftRuleset } from './ruleset.ts'
export type { Match, Statement } from './statement.ts'
export type { Range, SelectorValues, SetType } from './values.ts'
