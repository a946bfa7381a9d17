import type { SavedRule } from '../parse/saved-tables.ts'
import type { DesiredRule } from './desired.ts'

/** Rule of a chain, with its key and its position. */
export interface Marked {
  /** String that identifies the rule's content: equal rules have equal keys. */
  readonly key: string
  readonly position?: number | undefined
}

/** Returns a function that computes a rule's comparison key: the rule's bytes if possible, else its canonical form. */
export function marksOf(
  known: readonly DesiredRule[],
  current: readonly SavedRule[],
): (rule: DesiredRule | SavedRule) => string {
  const forms = new Set(known.map(({ form }) => form))
  const tells = !forms.has(undefined) && current.every(({ form }) => form !== undefined && forms.has(form))
  return tells ? (rule) => rule.form ?? rule.key : (rule) => rule.key
}
