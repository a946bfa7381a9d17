import type { SavedRule } from '../parse/saved-tables.ts'

/** A rule and its index in its chain. */
export interface Placed {
  readonly rule: SavedRule
  readonly index: number
}

/**
 * Restore lines that delete some rules of a chain, in the chain's order. By text where one can be written: a number
 * would hit the rule of someone who writes meanwhile. A text deletes the first copy, so those have to be among them.
 */
export function deleteLines(chain: string, rules: readonly Placed[]): string[] {
  // No line can hold the line break of a comment. From the back, and first, while the numbers count.
  const numbered = rules.filter(({ rule }) => rule.text.includes('\n')).toReversed()
  const rest = rules.filter(({ rule }) => !rule.text.includes('\n'))
  return [
    ...numbered.map(({ index }) => `-D ${chain} ${index + 1}`),
    ...rest.map(({ rule }) => `-D ${chain} ${rule.text}`.trimEnd()),
  ]
}

/** The rules of a chain that a condition picks, with their indices. */
export const placed = (rules: readonly SavedRule[], picks: (rule: SavedRule, index: number) => boolean): Placed[] =>
  rules.flatMap((rule, index) => (picks(rule, index) ? [{ rule, index }] : []))
