/**
 * Rules as text, both ways: what `iptables-save` prints and what `iptables-restore` reads. Pure.
 *
 * @example
 * ```ts
 * import { parseSave, saveText } from '@cni/iptables/text'
 *
 * const saved = parseSave('*nat\n-A OUTPUT -p tcp -j REDIRECT --to-ports 15001\nCOMMIT\n', 'ipv4')
 * export const text = saveText(saved)
 * ```
 *
 * @module
 */

export { type CanonicalRule, type Condition, canonicalRule } from '../parse/canonical.ts'
export { parseSave, type SavedChain, SavedRule, type SavedTables, saveText } from '../parse/saved-tables.ts'
export { ruleLine } from './quote.ts'
export { restoreText } from './restore-text.ts'
export { ruleArgs } from './rule-args.ts'
