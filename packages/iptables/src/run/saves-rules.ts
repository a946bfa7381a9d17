import { parseSave } from '../parse/saved-tables.ts'
import { type Family, isBuiltin } from '../rules/model.ts'

/** True if the output of `iptables-save` contains a rule, a user-defined chain, or a policy other than ACCEPT. */
export function savesRules(text: string, family: Family): boolean {
  return [...parseSave(text, family).tables].some(([table, chains]) =>
    [...chains].some(([name, { policy, rules }]) => {
      return rules.length > 0 || !isBuiltin(table, name) || (policy !== undefined && policy !== 'ACCEPT')
    }),
  )
}
