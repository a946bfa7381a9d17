/**
 * Typed rulesets of nftables over netlink: build a value, print it, apply it, verify it, remove it. No program is run.
 *
 * @example
 * ```ts
 * import { base, chain, nftables, nftRuleset } from '@cni/nftables'
 * import { netns } from '@cni/netns'
 *
 * const rules = nftRuleset('inet', { ex: { output: base('nat', 'output', -100), redirect: chain } }, (t) => [
 *   t.ex.on('output').skuid(1337).counter().return(),
 *   t.ex.on('output').ip('daddr').not('127.0.0.1/32').counter().jump('redirect'),
 *   t.ex.on('redirect').l4proto('tcp').counter().redirect(15001),
 * ])
 *
 * export async function capture(path: string) {
 *   using pod = netns.open(path)
 *   await nftables(pod).apply(rules)
 *   await nftables(pod).verify(rules)
 * }
 * ```
 *
 * @module
 */

export type { LibraryLog, NetnsContext, Where } from '@cni/netns/handle'
// the kernel
export type { ApplyReport, Change } from './apply/report.ts'
export type { Transacted, TransactionSteps } from './apply/transaction.ts'
export type { OwnedOptions, OwnedTables } from './apply/work.ts'
export type { SetRecord, Sets } from './decode/reading.ts'
export { readTables, type TableRecords } from './decode/records.ts'
export { decodeRule, decodeTables } from './decode/tables.ts'
export { addRuleset } from './encode/encode-table.ts'
export { type Nftables, type NftablesOptions, nftables } from './nftables.ts'
// text
export { printTables } from './print/print-records.ts'
export { printRuleset } from './print/print-ruleset.ts'
export { ruleText } from './print/rule.ts'
export type { PrintOptions } from './print/statement.ts'
// rulesets
export type { ActionSteps, LimitOptions, LogOptions, NatOptions } from './rules/action-types.ts'
export type { Builders, RuleBuilder, TableBuilder } from './rules/builder-types.ts'
export type { Context, Ended, Placed, RulesetFamily, TableParts, TablesSpec } from './rules/context.ts'
export type { Comparison, Given, Matches } from './rules/match-types.ts'
export type { Chain, ElementKey, NamedSet, Rule, Ruleset, SetElement, Table } from './rules/model.ts'
export {
  type BasePart,
  base,
  type ChainPart,
  chain,
  map,
  type Part,
  type SetOptions,
  type SetPart,
  set,
} from './rules/parts.ts'
export { nftRuleset } from './rules/ruleset.ts'
export {
  type Action,
  isMatch,
  type Limit,
  type Log,
  type LogFlag,
  type MarkValue,
  type Match,
  type MatchOp,
  type Nat,
  type NatFlag,
  type Raw,
  type Redirect,
  type Reject,
  type Statement,
  type Tproxy,
  type Vmap,
  type VmapElement,
} from './rules/statement.ts'
export type {
  AddrType,
  CtState,
  CtStatus,
  InterfaceName,
  Key,
  Masked,
  Operand,
  Protocol,
  Range,
  Selector,
  SelectorValues,
  SetType,
  TcpFlag,
} from './rules/values.ts'
// sets
export type { ElementDiff, Elements } from './sets/element-diff.ts'
export type { TableSet } from './sets/table-set.ts'
// errors
export { type Drift, type DriftChanged, type DriftLine, driftText } from './state/drift.ts'
export { isNftDriftError, NftDriftError } from './state/drift-error.ts'
export { type Fault, isNftError, NftError, type NftErrorCode } from './wire/nft-error.ts'
export type { Snapshot } from './wire/snapshot.ts'
export type { TableName } from './wire/specs.ts'
