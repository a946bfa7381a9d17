/**
 * Typed iptables rulesets: build, print, apply, verify and remove them.
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

export type { Where } from '@cni/netns/handle'
// Exports to read and write the rules in the kernel.
export type { Change } from './apply/change.ts'
export type { ApplyReport } from './apply/report.ts'
export type { Transaction } from './crud/transaction.ts'
// errors
export { IptablesError, isIptablesError } from './errors.ts'
export { type Iptables, iptables } from './iptables.ts'
export type { IptablesBackend } from './iptables-backend.ts'
// rulesets
export type { Rule, Ruleset } from './rules/model.ts'
export { ruleset } from './rules/ruleset.ts'
export type { IptablesPort } from './run/port.ts'
// watch
export type { WatchEvent } from './watch/watch.ts'
export type { IptablesOptions } from './work.ts'
