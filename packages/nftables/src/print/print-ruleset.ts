import { escapeUnsafe } from '@cni/types'
import type { Chain, Ruleset, Table } from '../rules/model.ts'
import type { Family } from '../wire/family.ts'
import { baseText } from './chains.ts'
import { namedSetText } from './named-set.ts'
import { ruleText } from './rule.ts'
import { commentText, setLines } from './set-text.ts'
import type { PrintOptions } from './statement.ts'

/**
 * Prints a ruleset as `nft list ruleset` prints it after `apply`. `nft -f` accepts the text.
 *
 * @example
 * ```ts
 * import { printRuleset } from '@cni/nftables/rules'
 *
 * const rules = [{ statements: [{ kind: 'tcp dport', value: 80 }, { kind: 'drop' }] }] as const
 * const base = { type: 'filter', hook: 'input', priority: 0 } as const
 * const chains = [{ name: 'input', base, policy: 'accept', rules }] as const
 * export const text = printRuleset({ tables: [{ family: 'ip', name: 'ex', chains, sets: [] }] })
 * ```
 */
export function printRuleset({ tables }: Ruleset, options?: { readonly stateless?: boolean | undefined }): string {
  return tables.map((table) => tableText(table, options)).join('')
}

function tableText({ family, name, comment, sets, chains }: Table, options: PrintOptions | undefined): string {
  return blocks(family, name, [
    ...(comment === undefined ? [] : [[commentText(comment)]]),
    ...sets.map((set) => setLines(namedSetText(set))),
    ...chains.map((chain) => chainLines(chain, family, options)),
  ])
}

/** Text of a table. Empty lines separate its chains and sets. */
export function blocks(family: Family, name: string, parts: readonly (readonly string[])[]): string {
  const body = parts.map((lines) => lines.map((line) => `\t${line}\n`).join('')).join('\n')
  return `${escapeUnsafe(`table ${family} ${name} {`)}\n${body}}\n`
}

function chainLines(
  { name, base, policy, comment, rules }: Chain,
  family: Family,
  options?: { readonly stateless?: boolean | undefined },
): string[] {
  return bracedChain(name, [
    ...(comment === undefined ? [] : [commentText(comment)]),
    ...(base === undefined ? [] : [baseText(base, policy ?? 'accept', family)]),
    ...rules.map((rule) => ruleText(rule, family, options)),
  ])
}

/** Text of a chain of a ruleset, with its braces. */
export const bracedChain = (name: string, lines: readonly string[]): string[] => [
  ...[escapeUnsafe(`chain ${name} {`), ...lines.map((line) => `\t${line}`), '}'],
]
