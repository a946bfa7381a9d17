/**
 * Applies, verifies and removes typed nftables rulesets in the kernel. Runs no program.
 *
 * @example
 * ```ts
 * import { netns } from '@cni/netns'
 * import { nftables } from '@cni/nftables'
 * import { base, chain, nftRuleset } from '@cni/nftables/rules'
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
// Functions that read and write tables in the kernel.
export type { Change } from './apply/report.ts'
export { printTables, readTables } from './kernel-tables.ts'
export { type Nftables, nftables } from './nftables.ts'
export type { TableSet } from './sets/table-set.ts'
// errors
export { isNftError, NftError } from './wire/nft-error.ts'
