/**
 * Typed iptables rulesets: build a value, print it, apply it, verify it, remove it.
 *
 * @example
 * ```ts
 * import { iptables, ruleset } from '@cni/iptables'
 * import { netns } from '@cni/netns'
 *
 * const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }
 * const rules = ruleset({ nat: ['EX_OUTPUT', 'EX_REDIRECT'] }, (t) => [
 *   t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
 *   t.nat.on('EX_OUTPUT').uid(1337).return(),
 *   t.nat.on('EX_OUTPUT').not.dst(loopback).jump('EX_REDIRECT'),
 *   t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
 * ])
 *
 * export async function capture(path: string) {
 *   using pod = netns.open(path)
 *   await iptables(pod).apply(rules)
 *   await iptables(pod).verify(rules)
 * }
 * ```
 *
 * @module
 */

export type { LibraryLog, NetnsContext, Where } from '@cni/netns/handle'
// the kernel
export type { Change } from './apply/change.ts'
export type { ApplyReport } from './apply/report.ts'
export type { Transaction, TransactionSteps } from './crud/transaction.ts'
// errors
export { IptablesError, type IptablesErrorCode, type IptablesErrorOptions, isIptablesError } from './errors.ts'
export { type Iptables, iptables, type RemoveOptions } from './iptables.ts'
// rulesets
export type { Builders, RuleBuilder, RuleSteps, TableBuilder, TableSpec } from './rules/builder-types.ts'
export type { IcmpType, Icmpv6Type } from './rules/icmp-types.ts'
export type { NegatableMatches, Owner, Ports, Protocol, Rate, SocketOptions, Statistic } from './rules/match-types.ts'
export type {
  AddressPair,
  AddrType,
  BuiltinChain,
  CtEvent,
  CtState,
  CtZone,
  Family,
  LogTargetFlag,
  LogTargetLevel,
  MarkAction,
  Match,
  OwnChain,
  RejectIpv4,
  RejectIpv6,
  Rule,
  Ruleset,
  SetDir,
  Table,
  Target,
} from './rules/model.ts'
export { builtinChains, chainsFor, families, isBuiltin, rulesFor, tables } from './rules/model.ts'
export { ruleset } from './rules/ruleset.ts'
export type { AddressOf, Scope } from './rules/scope.ts'
export type {
  AddSetOptions,
  CtOptions,
  LogTargetOptions,
  MasqueradeOptions,
  NatOptions,
  NflogOptions,
  RejectWith,
  SnatOptions,
  TproxyOptions,
} from './rules/target-types.ts'
export type { BackendKind } from './run/backend.ts'
export type { Generation, IptablesPort, IptablesPortOptions, Probed } from './run/port.ts'
export {
  type Drift,
  type DriftLine,
  type DriftOrder,
  type DriftReplaced,
  driftText,
  type PolicyChange,
} from './state/drift.ts'
export { DriftError, isDriftError } from './state/drift-error.ts'
export {
  diffSnapshots,
  type Snapshot,
  type SnapshotDiff,
  type SnapshotOptions,
} from './state/snapshot.ts'
// watch
export type { WatchEvent, WatchOptions } from './watch/watch.ts'
export type { IptablesOptions } from './work.ts'
