/**
 * Rules for namespaces in which there are none yet, made by one process and written by another: where the rules are known
 * to a daemon, and the namespace is another's.
 *
 * @example
 * ```ts
 * import { ruleset } from '@cni/iptables'
 * import { freshBatch } from '@cni/iptables/fresh'
 *
 * const rules = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('EX').proto('tcp').redirect(8080)])
 * export const batch = freshBatch(rules, ['ipv4', 'ipv6'])
 * ```
 *
 * @module
 */

export { freshBatch } from './fresh-batch.ts'
