/**
 * Single operations on chains and rules, and listings of the kernel's rules.
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
