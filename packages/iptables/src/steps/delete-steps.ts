import type { SavedRule } from '../parse/saved-tables.ts'
import type { Step } from './steps.ts'

/** A rule and its index in its chain. */
export interface Placed {
  readonly rule: SavedRule
  readonly index: number
}

/**
 * Deletes some rules of a chain, in the chain's order. By text where one can be written: a number would hit the rule of
 * someone who writes meanwhile. A text deletes the first copy, so those have to be among them.
 */
export function deleteSteps(chain: string, rules: readonly Placed[]): Step[] {
  // No line can hold the line break of a comment. From the back, and first, while the numbers count.
  // What the kernel told itself is deleted by its handle, and needs no text.
  const isNumbered = ({ rule }: Placed) => rule.source === undefined && rule.text.includes('\n')
  const numbered = rules.filter(isNumbered).toReversed()
  const rest = rules.filter((each) => !isNumbered(each))
  return [
    ...numbered.map(({ rule, index }): Step => ({ step: 'delete', chain, rule, at: index })),
    ...rest.map(({ rule }): Step => ({ step: 'delete', chain, rule })),
  ]
}

/** The rules of a chain that a condition picks, with their indices. */
export const placed = (rules: readonly SavedRule[], picks: (rule: SavedRule, index: number) => boolean): Placed[] =>
  rules.flatMap((rule, index) => (picks(rule, index) ? [{ rule, index }] : []))
