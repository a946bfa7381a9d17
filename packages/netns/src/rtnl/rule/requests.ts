import type { IpFamily } from '@cni/types/ip'
import type { RequestChannel } from '../../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL } from '../../netlink/constants.ts'
import { unlessAlready } from '../already.ts'
import { RTM_DELRULE, RTM_GETRULE, RTM_NEWRULE } from '../constants.ts'
import type { RuleFilter } from '../port/arguments.ts'
import type { NewPolicyRule, PolicyRule } from '../port/rule.ts'
import { decodeRule, encodeRule, isRule, ruleQuery } from './codec.ts'

export function getRules(channel: RequestChannel, filter: RuleFilter | IpFamily): PolicyRule[] {
  const { family, table } = ruleFilter(filter)
  const families = family === undefined ? (['ipv4', 'ipv6'] as const) : [family]
  return families
    .flatMap((each) => dumpRules(channel, each).flatMap((body) => decodeRule(body) ?? []))
    .filter((rule) => table === undefined || rule.table === table)
}

/** Converts the argument of `getRules`, a filter or an address family, to a filter. */
export const ruleFilter = (filter: RuleFilter | IpFamily): RuleFilter =>
  typeof filter === 'string' ? { family: filter } : filter

export function addRule(channel: RequestChannel, rule: NewPolicyRule): boolean {
  const encoded = encodeRule(rule)
  // Searches for an equal rule. The kernel refuses a duplicate only if the request has a priority.
  if (rule.priority === undefined && findRule(channel, rule) !== undefined) return false
  const what = `Add rule ${ruleText(rule)}`
  const request = { type: RTM_NEWRULE, flags: NLM_F_CREATE | NLM_F_EXCL, ...encoded, what }
  return unlessAlready(
    ['EEXIST'],
    () => channel.ask(request),
    () => (findRule(channel, rule) === undefined ? 'a rule with the same priority and other values exists' : undefined),
  )
}

export function deleteRule(channel: RequestChannel, rule: NewPolicyRule): boolean {
  const existing = findRule(channel, rule)
  if (existing === undefined) return false
  const encoded = encodeRule({ ...rule, priority: existing.priority })
  const what = `Delete rule ${ruleText(rule)}`
  return unlessAlready(['ENOENT'], () => channel.ask({ type: RTM_DELRULE, ...encoded, what }))
}

function findRule(channel: RequestChannel, rule: NewPolicyRule): PolicyRule | undefined {
  const body = dumpRules(channel, rule.family).find((each) => isRule(each, rule))
  return body === undefined ? undefined : decodeRule(body)
}

function dumpRules(channel: RequestChannel, family: IpFamily): Buffer[] {
  const what = `List ${family} rules`
  return channel.dump({ type: RTM_GETRULE, fixed: ruleQuery(family), what }).map(({ body }) => body)
}

const ruleText = ({ goto, table, family }: NewPolicyRule): string =>
  `${goto === undefined ? `for table ${table}` : `to continue at ${goto}`} (${family})`
