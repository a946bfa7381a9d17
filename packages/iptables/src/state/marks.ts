import type { SavedRule } from '../parse/saved-tables.ts'
import type { WantedRule } from './wanted.ts'

/** A rule as far as its place in a chain matters. */
export interface Marked {
  /** Equal for rules that mean the same. */
  readonly key: string
  readonly position?: number | undefined
}

/**
 * What tells the rules of a chain apart: their bytes where they tell everything, because each rule that is there equals
 * one that we know; else what their words mean, which takes much longer to find out.
 */
export function marksOf(
  known: readonly WantedRule[],
  current: readonly SavedRule[],
): (rule: WantedRule | SavedRule) => string {
  const forms = new Set(known.map(({ form }) => form))
  const tells = !forms.has(undefined) && current.every(({ form }) => form !== undefined && forms.has(form))
  return tells ? (rule) => rule.form ?? rule.key : (rule) => rule.key
}
