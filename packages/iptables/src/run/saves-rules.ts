import { parseSave } from '../parse/saved-tables.ts'
import { type Family, isBuiltin } from '../rules/model.ts'

/** Whether a save of a family holds more than empty tables: a rule, a chain of someone, a policy. */
export function savesRules(text: string, family: Family): boolean {
  return [...parseSave(text, family).tables].some(([table, chains]) =>
    [...chains].some(([name, { policy, rules }]) => {
      return rules.length > 0 || !isBuiltin(table, name) || (policy !== undefined && policy !== 'ACCEPT')
    }),
  )
}
