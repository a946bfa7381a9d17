import type { SavedRule } from '../parse/saved-tables.ts'
import type { Step } from './steps.ts'

/** Rule of a chain, with its index in the chain. */
export interface Placed {
  readonly rule: SavedRule
  readonly index: number
}

/**
 * Plans the deletion of some rules of a chain, in the chain's order. Deletes by text where possible, because deletion
 * by number could delete another program's new rule. Of equal rules, `rules` must contain the first ones, because
 * deletion by text removes the first one.
 */
export function deleteSteps(chain: string, rules: readonly Placed[]): Step[] {
  // Deletes a rule by number if its comment contains a line break, because restore text cannot contain line breaks.
  // Such deletions come first and start with the highest number, because a deletion changes all higher numbers. Netlink
  // needs no number, because it deletes a rule by its handle.
  const isNumbered = ({ rule }: Placed) => rule.source === undefined && rule.text.includes('\n')
  const numbered = rules.filter(isNumbered).toReversed()
  const rest = rules.filter((each) => !isNumbered(each))
  return [
    ...numbered.map(({ rule, index }): Step => ({ step: 'delete', chain, rule, at: index })),
    ...rest.map(({ rule }): Step => ({ step: 'delete', chain, rule })),
  ]
}

/** Rules of a chain that meet a condition, each with its index in the chain. */
export const placed = (rules: readonly SavedRule[], picks: (rule: SavedRule, index: number) => boolean): Placed[] =>
  rules.flatMap((rule, index) => (picks(rule, index) ? [{ rule, index }] : []))
