import type { TableRecords } from '../decode/records.ts'
import { decodeRule, rulesByChain } from '../decode/tables.ts'
import { baseText } from './chains.ts'
import { blocks, bracedChain } from './print-ruleset.ts'
import { ruleText } from './rule.ts'
import { setRecordText } from './set-record.ts'
import { commentText, setLines } from './set-text.ts'
import type { PrintOptions } from './statement.ts'

/** Prints tables read from the kernel as `nft list ruleset` prints them. */
export function printRecords(
  records: readonly TableRecords[],
  options?: { readonly stateless?: boolean | undefined },
): string {
  return records.map((each) => tableText(each, options)).join('')
}

function tableText({ table, chains, sets, rules }: TableRecords, options: PrintOptions | undefined): string {
  const { family, flags = 0, comment } = table
  const byChain = rulesByChain(rules)
  const named = [...sets.values()].filter(({ set }) => set.flags?.includes('anonymous') !== true)
  const said = [
    ...(flags === 0 ? [] : [`flags ${tableFlags.filter((_, bit) => (flags & (1 << bit)) !== 0).join(',')}`]),
    ...(comment === undefined ? [] : [commentText(comment)]),
  ]
  return blocks(family, table.table, [
    ...(said.length === 0 ? [] : [said]),
    ...named.map((record) => setLines(setRecordText(record, options))),
    ...chains.map(({ chain, base, policy, comment: note }) =>
      bracedChain(chain, [
        ...(note === undefined ? [] : [commentText(note)]),
        ...(base === undefined ? [] : [baseText(base, policy, family)]),
        ...(byChain.get(chain) ?? []).map((rule) => ruleText(decodeRule(rule, sets), family, options)),
      ]),
    ),
  ])
}

const tableFlags = ['dormant', 'owner'] as const
