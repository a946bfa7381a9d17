import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { isBuiltin, type Table, tables } from '../rules/model.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { deleteLines, placed } from './delete-lines.ts'

/**
 * The restore text that leads from one snapshot to another, rule by rule, so that what is in both keeps its place and
 * its counters; `''` when they hold the same. A table or built-in chain that `to` does not have is emptied.
 */
export function transitionText(from: SavedTables, to: SavedTables): string {
  let text = ''
  for (const table of tables) {
    const lines = tableLines(table, from.tables.get(table) ?? none, to.tables.get(table) ?? none)
    if (lines.length > 0) text += `*${table}\n${lines.join('\n')}\nCOMMIT\n`
  }
  return text
}

/** Whether two chains hold the same rules in the same order. */
export const sameRules = (a: readonly SavedRule[], b: readonly SavedRule[]): boolean =>
  a === b || (a.length === b.length && a.every((rule, index) => sameRule(rule, b[index])))

// internal

type Chains = ReadonlyMap<string, SavedChain>

const none: Chains = new Map()

// Most rules are the same bytes; only the others are worth parsing.
const sameRule = (a: SavedRule, b: SavedRule | undefined) => b !== undefined && (a.text === b.text || a.key === b.key)

function tableLines(table: Table, from: Chains, to: Chains): string[] {
  if (from === to) return []
  const made: string[] = []
  const gone: string[] = []
  const edits: string[] = []
  for (const name of new Set([...from.keys(), ...to.keys()])) {
    const [a, b] = [from.get(name), to.get(name)]
    if (a === b) continue
    if (isBuiltin(table, name)) {
      const policy = b?.policy ?? 'ACCEPT'
      if (policy !== (a?.policy ?? 'ACCEPT')) edits.push(`-P ${name} ${policy}`)
    } else if (b === undefined) {
      gone.push(name)
      continue
    } else if (a === undefined) made.push(name)
    // No push(...lines): a chain may have more rules than a call may have arguments.
    for (const line of chainLines(name, a?.rules ?? [], b?.rules ?? [])) edits.push(line)
  }
  return [
    ...made.map((name) => `-N ${name}`),
    ...gone.map((name) => `-F ${name}`),
    ...edits,
    ...gone.map((name) => `-X ${name}`),
  ]
}

function chainLines(name: string, from: readonly SavedRule[], to: readonly SavedRule[]): string[] {
  if (sameRules(from, to)) return []
  const keys = from.map(({ key }) => key)
  const pairs = commonSubsequence(
    keys,
    to.map(({ key }) => key),
  )
  const stays = withoutLaterCopies(keys, pairs)
  const [kept, there] = [new Set(stays.map(([a]) => a)), new Set(stays.map(([, b]) => b))]
  // Deleting 10 000 rules one by one takes the nft back end 5 s, longer than an undo may take on a slow node.
  const flush = kept.size === 0 && from.length > 256
  const gone = placed(from, (_, index) => !kept.has(index))
  const lines = flush ? [`-F ${name}`] : deleteLines(name, gone)
  let length = kept.size
  for (const [index, rule] of to.entries()) {
    if (there.has(index)) continue
    // A restore text has no line breaks, and a comment of others must not become a line of its own.
    const text = rule.text.replaceAll('\n', ' ')
    lines.push((index === length ? `-A ${name} ${text}` : `-I ${name} ${index + 1} ${text}`).trimEnd())
    length++
  }
  return lines
}

/**
 * Without the pairs of rules of which a later copy goes: `-D` takes the first copy, and a number instead of the text
 * would hit the rule of someone who writes meanwhile.
 */
function withoutLaterCopies(keys: readonly string[], pairs: readonly [number, number][]): [number, number][] {
  const kept = new Set(pairs.map(([a]) => a))
  const last = new Map<string, number>()
  for (const [index, key] of keys.entries()) if (!kept.has(index)) last.set(key, index)
  return pairs.filter(([a]) => a > (last.get(keys[a] ?? '') ?? -1))
}
