import type { SavedRule } from '../parse/saved-tables.ts'
import type { Step } from './steps.ts'

/** Rule with its index in its chain. */
export interface Placed {
  readonly rule: SavedRule
  readonly index: number
}

/**
 * Deletes some rules of a chain, in the chain's order. Deletes by text where possible: a number could delete a foreign
 * rule written meanwhile. A text deletes the first copy, so `rules` must contain the first copies.
 */
export function deleteSteps(chain: string, rules: readonly Placed[]): Step[] {
  // The text of a comment with a line break does not fit in one line, so the rule is deleted by number. These deletions
  // come first and from the back, while the numbers are valid. Rules that netlink returned are deleted by handle.
  const isNumbered = ({ rule }: Placed) => rule.source === undefined && rule.text.includes('\n')
  const numbered = rules.filter(isNumbered).toReversed()
  const rest = rules.filter((each) => !isNumbered(each))
  return [
    ...numbered.map(({ rule, index }): Step => ({ step: 'delete', chain, rule, at: index })),
    ...rest.map(({ rule }): Step => ({ step: 'delete', chain, rule })),
  ]
}

/** Rules of a chain that meet a condition, with their indexes. */
export const placed = (rules: readonly SavedRule[], picks: (rule: SavedRule, index: number) => boolean): Placed[] =>
  rules.flatMap((rule, index) => (picks(rule, index) ? [{ rule, index }] : []))
