import type { Sets } from '../decode/reading.ts'
import { decodeRule } from '../decode/tables.ts'
import { ruleText } from '../print/rule.ts'
import type { Rule } from '../rules/model.ts'
import { ruleIn } from '../wire/dumps/records.ts'
import type { Family } from '../wire/family.ts'

/** A rule that is wanted, as `nft --stateless list` has it: what counters counted is no difference. */
export const wantedText = (rule: Rule, family: Family): string => ruleText(rule, family, { stateless: true })

/** A rule that is there, in the same words. */
export const presentText = (body: Buffer, family: Family, sets: Sets): string =>
  ruleText(decodeRule(ruleIn(family, body), sets), family, { stateless: true })
