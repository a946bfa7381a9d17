/**
 * Writes tables into namespaces that lack these tables. Another process can create the batch.
 *
 * @example
 * ```ts
 * import { netns } from '@cni/netns'
 * import { freshBatch, openFresh } from '@cni/nftables/fresh'
 * import { base, nftRuleset } from '@cni/nftables/rules'
 *
 * const rules = nftRuleset('inet', { ex: { output: base('nat', 'output', -100) } }, (t) => [
 *   t.ex.on('output').tcp('dport', 80).redirect(8080),
 * ])
 * const batch = freshBatch(rules)
 *
 * using pod = netns.open('/run/netns/cni-7f3a')
 * using tables = openFresh(pod, [{ family: 'inet', table: 'ex' }])
 * export const written = tables?.fresh === true && tables.commit(batch)
 * ```
 *
 * @module
 */

export type { FreshNftables } from '../wire/batch/open-at.ts'
export { freshBatch } from './fresh-batch.ts'
export { openFresh } from './open-fresh.ts'
