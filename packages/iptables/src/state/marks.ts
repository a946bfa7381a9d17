import type { SavedRule } from '../parse/saved-tables.ts'
import type { WantedRule } from './wanted.ts'

/** Rule with the members that matter for its position in a chain. */
export interface Marked {
  /** Key of the rule: equal rules have equal keys. */
  readonly key: string
  readonly position?: number | undefined
}

/**
 * Keys that identify the rules of a chain. Uses the bytes of the rules if every existing rule equals a known rule.
 * Otherwise uses the canonical form of the rules, which takes much longer to compute.
 */
export function marksOf(
  known: readonly WantedRule[],
  current: readonly SavedRule[],
): (rule: WantedRule | SavedRule) => string {
  const forms = new Set(known.map(({ form }) => form))
  const tells = !forms.has(undefined) && current.every(({ form }) => form !== undefined && forms.has(form))
  return tells ? (rule) => rule.form ?? rule.key : (rule) => rule.key
}
