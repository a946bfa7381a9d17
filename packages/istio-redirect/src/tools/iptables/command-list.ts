import type { Rule, Ruleset } from '@cni/iptables'
import { type Family, isBuiltin, ruleArgs, ruleLine, rulesFor } from '@cni/iptables/rules'

/** Prints the rules of an IP family as iptables commands, one on each line, chains first. */
export function ruleCommands(rules: Ruleset, family: Family): readonly string[] {
  const own = rulesFor(rules, family)
  const chains = own
    .filter(({ table, chain }) => !isBuiltin(table, chain))
    .map(({ table, chain }) => `${table} -N ${chain}`)
  const lines = own.map((rule) => `${rule.table} ${appendOrInsert(rule)} ${ruleLine(ruleArgs(rule, family))}`)
  return [...new Set(chains), ...lines].map((line) => `${programs[family]} -t ${line}`)
}

/** Lists the commands that remove a family's rules, jumps first, because referenced chains cannot be deleted. */
export function cleanUpCommands(rules: Ruleset, family: Family): readonly string[] {
  const reversed = rulesFor(rules, family).toReversed()
  const removed = reversed
    .filter(({ table, chain, target }) => isBuiltin(table, chain) || target.target === 'jump')
    .map((rule) => `${rule.table} -D ${rule.chain} ${ruleLine(ruleArgs(rule, family))}`)
  const chains = reversed
    .filter(({ table, chain }) => !isBuiltin(table, chain))
    .flatMap(({ table, chain }) => [`${table} -F ${chain}`, `${table} -X ${chain}`])
  return [...removed, ...new Set(chains)].map((line) => `${programs[family]} -t ${line}`)
}

const programs = { ipv4: 'iptables', ipv6: 'ip6tables' } as const

const appendOrInsert = ({ chain, position }: Rule): string =>
  position === undefined ? `-A ${chain}` : `-I ${chain} ${position}`
