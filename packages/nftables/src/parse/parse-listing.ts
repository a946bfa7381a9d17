import { canonicalSet } from '../rules/canonical-set.ts'
import { dataTypes } from '../rules/data-type.ts'
import type { Chain, NamedSet, Rule, Ruleset, Table } from '../rules/model.ts'
import type { Family, Hook } from '../wire/family.ts'
import { isNftError } from '../wire/nft-error.ts'
import type { BaseChain } from '../wire/specs.ts'
import { parseRule } from './statements.ts'
import { type Token, tokensIn, Words } from './tokens.ts'
import { braced, keysIn } from './values.ts'

/**
 * Parses the output of `nft list ruleset`, for example to trace packets. Reads tables of `inet`, `ip` and `ip6` with
 * their chains, rules and sets. An unknown part of a rule becomes `raw`. A trace cannot decide `raw`, and `apply`
 * refuses it. Skips stateful objects and unknown kinds of tables and sets. Throws `NftError('INVALID')` with the line
 * for text that is not a listing.
 *
 * @example
 * ```ts
 * import { explain, parseListing, trace } from '@cni/nftables/rules'
 *
 * export const why = (listing: string) => explain(trace(parseListing(listing), 'tcp 10.0.0.5:80 uid 1000'))
 * ```
 */
export function parseListing(listing: string): Ruleset {
  const words = new Words(tokensIn(listing))
  const tables: Table[] = []
  for (words.skipEnds(); words.peek() !== undefined; words.skipEnds()) {
    words.expect('table')
    const family = words.next()?.text ?? ''
    const name = words.next()?.text ?? ''
    const table = tableIn(words, family, name)
    if (table !== undefined) tables.push(table)
  }
  return { tables }
}

// internal

const isFamily = (family: string): family is 'inet' | 'ip' | 'ip6' => ['inet', 'ip', 'ip6'].includes(family)

function tableIn(words: Words, family: string, name: string): Table | undefined {
  const chains: Chain[] = []
  const sets: NamedSet[] = []
  words.expect('{')
  for (words.skipEnds(); !words.take('}'); words.skipEnds()) {
    if (words.peek() === undefined) words.expect('}')
    if (words.take('chain')) chains.push(chainIn(words, words.next()?.text ?? '', isFamily(family) ? family : 'inet'))
    else {
      const isSet = words.take('set')
      const line = words.line()
      if (isSet) sets.push(...setIn(line, name))
    }
  }
  return isFamily(family) ? { family, name, chains, sets } : undefined
}

function chainIn(words: Words, name: string, family: Family): Chain {
  const rules: Rule[] = []
  let where: Pick<Chain, 'base' | 'policy'> = {}
  words.expect('{')
  for (words.skipEnds(); !words.take('}'); words.skipEnds()) {
    if (words.peek() === undefined) words.expect('}')
    const line = words.line()
    const [first, second] = line
    if (first?.text === 'type' && !first.quoted) where = { ...where, policy: where.policy ?? 'accept', ...baseIn(line) }
    else if (first?.text === 'policy' && !first.quoted)
      where = { ...where, policy: second?.text === 'drop' ? 'drop' : 'accept' }
    else if (!(first?.text === 'comment' && line.length === 2)) rules.push(parseRule(line, family))
  }
  return { name, ...(where.base === undefined ? undefined : where), rules }
}

const priorities: Readonly<Record<string, number>> = {
  ...{ raw: -300, mangle: -150, dstnat: -100, filter: 0, security: 50, srcnat: 100 },
}
const types: readonly string[] = ['filter', 'nat', 'route'] satisfies BaseChain['type'][]
const hooks: readonly string[] = ['prerouting', 'input', 'forward', 'output', 'postrouting', 'ingress'] satisfies Hook[]
const isType = (word: string): word is BaseChain['type'] => types.includes(word)
const isHook = (word: string): word is Hook => hooks.includes(word)

function baseIn(line: readonly Token[]): { readonly base?: BaseChain } {
  const behind = (word: string) => line.findIndex(({ text }) => text === word) + 1
  const type = line[behind('type')]?.text ?? ''
  const hook = line[behind('hook')]?.text ?? ''
  const at = behind('priority')
  const [word = '', sign, distance] = line.slice(at, at + 3).map(({ text }) => text)
  const named = priorities[word] ?? Number(word)
  const priority = named + (sign === '+' ? Number(distance) : sign === '-' ? -Number(distance) : 0)
  return isType(type) && isHook(hook) && Number.isInteger(priority) ? { base: { type, hook, priority } } : {}
}

/** Parses a set. Skips concatenated keys, because a trace cannot decide their lookups. */
function setIn(line: readonly Token[], table: string): NamedSet[] {
  const [name, ...rest] = line
  const text = rest.map((token) => token.text)
  const after = (word: string) => text[text.indexOf(word, 1) + 1] ?? ''
  const key = after('type')
  const isSingle = isKey(key) && text[text.indexOf(key) + 1] !== '.'
  if (name === undefined || !isSingle) return []
  const elementsAt = text.indexOf('elements')
  const tokens = elementsAt < 0 ? [] : braced(new Words(rest.slice(elementsAt + 2)))
  const keys = tokens?.length === 0 ? [] : tokens && keysIn(dataTypes[key], tokens)
  if (keys === undefined) return []
  const interval = after('flags').split(',').includes('interval')
  const elements = keys.map((each) => ({ key: each }))
  try {
    // The type cast is safe, because `canonicalSet` validates the elements.
    return [canonicalSet({ name: name.text, key, ...(interval ? { interval } : {}), elements } as NamedSet, table)]
  } catch (error) {
    if (isNftError(error)) return []
    throw error
  }
}

const keyTypes = ['ipv4_addr', 'ipv6_addr', 'inet_proto', 'inet_service', 'ifname', 'mark', 'uid', 'gid'] as const
const isKey = (word: string): word is (typeof keyTypes)[number] => keyTypes.some((each) => each === word)
