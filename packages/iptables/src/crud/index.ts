/**
 * Chains and rules one at a time, and listings of what the kernel holds.
 *
 * @example
 * ```ts
 * import { crud } from '@cni/iptables/crud'
 *
 * const { listChains, listRules } = crud('host')
 * for (const { name } of await listChains('nat')) await listRules('nat', name)
 * ```
 *
 * @module
 */

export { type Crud, crud } from './crud.ts'
export { ruleBuilders } from './rule-builders.ts'
