export type { ApplyReport } from './apply/report.ts'
export { IptablesError, type IptablesErrorCode, type IptablesErrorOptions, isIptablesError } from './errors.ts'
export { type Iptables, type IptablesOptions, iptables } from './iptables.ts'
export { type CanonicalRule, type Condition, canonicalRule } from './parse/canonical.ts'
export { parseSave, type SavedChain, SavedRule, type Snapshot, snapshotText } from './parse/snapshot.ts'
export type {
  AddressOf,
  Builders,
  Owner,
  Ports,
  Protocol,
  RuleBuilder,
  Scope,
  TableBuilder,
  TableSpec,
} from './rules/builder-types.ts'
export type {
  AddressPair,
  AddrType,
  BuiltinChain,
  CtState,
  Family,
  Match,
  OwnChain,
  Rule,
  Ruleset,
  Table,
  Target,
} from './rules/model.ts'
export { builtinChains, chainsFor, families, isBuiltin, rulesFor, tables } from './rules/model.ts'
export { ruleset } from './rules/ruleset.ts'
export type { BackendKind } from './run/backend.ts'
export type { IptablesPort, PortOptions } from './run/port.ts'
export type { IptablesContext, Log, Where } from './run/where.ts'
export { type Drift, type DriftLine, type DriftOrder, type DriftReplaced, driftText } from './state/drift.ts'
export { DriftError, isDriftError } from './state/drift-error.ts'
export { ruleLine } from './text/quote.ts'
export { restoreText } from './text/restore-text.ts'
export { ruleArgs } from './text/rule-args.ts'
