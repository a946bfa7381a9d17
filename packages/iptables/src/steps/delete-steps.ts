import type { SavedRule } from '../parse/saved-tables.ts'
import type { Step } from './steps.ts'

/** Rule of a chain, with its index in the chain. */
export interface IndexedRule {
  readonly rule: SavedRule
  readonly index: number
}

/** Plans deletions by text, because a rule's number may change. A deletion by text takes the first equal rule. */
export function deleteSteps(chain: string, rules: readonly IndexedRule[]): Step[] {
  // A rule's line cannot contain line breaks. Deletes rules with line breaks by number, highest first.
  const isNumbered = ({ rule }: IndexedRule) => rule.source === undefined && rule.text.includes('\n')
  const numbered = rules.filter(isNumbered).toReversed()
  const rest = rules.filter((each) => !isNumbered(each))
  return [
    ...numbered.map(({ rule, index }): Step => ({ step: 'delete', chain, rule, at: index })),
    ...rest.map(({ rule }): Step => ({ step: 'delete', chain, rule })),
  ]
}

/** Rules of a chain that meet a condition, each with its index in the chain. */
export const indexedRules = (
  rules: readonly SavedRule[],
  isSelected: (rule: SavedRule, index: number) => boolean,
): IndexedRule[] => rules.flatMap((rule, index) => (isSelected(rule, index) ? [{ rule, index }] : []))
