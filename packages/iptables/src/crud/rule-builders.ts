import type { Builders, TableSpec } from '../rules/builder/builder-types.ts'
import { ruleset } from '../rules/ruleset.ts'

/**
 * Creates builders of single rules, for `appendRule` and similar methods. The argument `chains` lists the tables and
 * their user-defined chains.
 *
 * @example
 * ```ts
 * import { iptables } from '@cni/iptables'
 * import { ruleBuilders } from '@cni/iptables/crud'
 *
 * const { nat } = ruleBuilders({ nat: ['EX'] })
 * export async function redirect(port: number) {
 *   await iptables('host').transaction((t) => {
 *     t.createChain('nat', 'EX')
 *     t.appendRule(nat.on('EX').proto('tcp').redirect(port))
 *     t.ensureRule(nat.on('OUTPUT').proto('tcp').dport(80).jump('EX'))
 *   })
 * }
 * ```
 */
export function ruleBuilders<const Spec extends TableSpec>(chains: Spec): Builders<Spec> {
  let builders: Builders<Spec> | undefined
  ruleset(chains, (t) => {
    builders = t
    return []
  })
  if (builders === undefined) throw new TypeError('ruleset did not call its builder')
  return builders
}
