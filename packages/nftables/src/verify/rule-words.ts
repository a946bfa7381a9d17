import type { Sets } from '../decode/reading.ts'
import { decodeRule } from '../decode/tables.ts'
import { ruleText } from '../print/rule.ts'
import type { Rule } from '../rules/model.ts'
import { ruleIn } from '../wire/dumps/records.ts'
import type { Family } from '../wire/family.ts'

/** Text of a rule without counter values, because different values are no drift. */
export const desiredText = (rule: Rule, family: Family): string => ruleText(rule, family, { stateless: true })

/** Text of a rule in the kernel, like `nft --stateless list`. */
export const presentText = (body: Buffer, family: Family, sets: Sets): string =>
  ruleText(decodeRule(ruleIn(family, body), sets), family, { stateless: true })
