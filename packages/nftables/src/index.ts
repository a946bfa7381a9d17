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

export type { Where } from '@cni/netns/handle'
// the kernel
export type { ApplyReport, Change } from './apply/report.ts'
export { readTables, type TableRecords } from './decode/records.ts'
export { decodeTables } from './decode/tables.ts'
export { addRuleset } from './encode/encode-table.ts'
export { type Nftables, nftables } from './nftables.ts'
export { printTables } from './print/print-records.ts'
// rulesets
export { base, chain, map, set } from './rules/builder/parts.ts'
export type { Ruleset } from './rules/model.ts'
export { nftRuleset } from './rules/ruleset.ts'
// sets
export type { TableSet } from './sets/table-set.ts'
// errors
export { isNftDriftError, NftDriftError } from './verify/drift-error.ts'
export { isNftError, NftError } from './wire/nft-error.ts'
