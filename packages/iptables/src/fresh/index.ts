/**
 * Functions to write an empty namespace's first rules with two processes: daemon and plugin.
 *
 * @example
 * ```ts
 * import { ruleset } from '@cni/iptables'
 * import { freshBatch, openFresh } from '@cni/iptables/fresh'
 * import { netns } from '@cni/netns'
 *
 * const rules = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('EX').proto('tcp').redirect(8080)])
 * const batch = freshBatch(rules, ['ipv4', 'ipv6'])
 *
 * using pod = netns.open('/run/netns/cni-7f3a')
 * using tables = openFresh(pod)
 * export const written = batch !== undefined && tables?.fresh === true && tables.commit(batch)
 * ```
 *
 * @module
 */

export { freshBatch } from './fresh-batch.ts'
export { openFresh } from './open-fresh.ts'
