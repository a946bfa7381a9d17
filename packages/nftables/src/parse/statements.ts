import { canonicalStatement } from '../rules/canonical.ts'
import { complete } from '../rules/complete.ts'
import type { Rule } from '../rules/model.ts'
import { selectors } from '../rules/selector.ts'
import type { MatchOp, Statement } from '../rules/statement.ts'
import type { Selector } from '../rules/values.ts'
import type { Family } from '../wire/family.ts'
import { isNftError } from '../wire/nft-error.ts'
import { type Token, Words } from './tokens.ts'
import { braced, keyIn, keysIn } from './values.ts'

/** Parses a rule in nft's words. Unknown words become one `raw` statement. */
export function parseRule(tokens: readonly Token[], family: Family): Rule {
  const { length } = tokens
  const [word, text] = tokens.slice(-2)
  const isNoted = length >= 2 && word?.text === 'comment' && !word.quoted && text?.quoted === true
  const said = isNoted ? tokens.slice(0, -2) : tokens
  return {
    statements: statementsIn(said, family),
    ...(isNoted && text !== undefined ? { comment: text.text } : undefined),
  }
}

// internal

function statementsIn(tokens: readonly Token[], family: Family): readonly Statement[] {
  const statements: Statement[] = []
  for (let at = 0; at < tokens.length; ) {
    const words = new Words(tokens.slice(at))
    const found = statementIn(words, family)
    if (found === undefined) {
      statements.push(unknown(tokens.slice(at)))
      break
    }
    statements.push(found)
    at = tokens.length - words.left
  }
  try {
    return complete(family, statements)
  } catch (error) {
    // Keeps an inexpressible rule as `raw`, because other programs may have written it.
    if (isNftError(error)) return [unknown(tokens)]
    throw error
  }
}

const unknown = (tokens: readonly Token[]): Statement => ({
  kind: 'raw',
  expressions: [{ name: 'raw', of: tokens.map(({ text, quoted }) => (quoted ? `"${text}"` : text)).join(' ') }],
})

function statementIn(words: Words, family: Family): Statement | undefined {
  const { left } = words
  const action = actionIn(words, family)
  // Returns no condition if `actionIn` has read words, because they belong to an unknown action.
  const given = action === undefined && words.left === left ? matchIn(words) : action
  if (given === undefined) return undefined
  try {
    return canonicalStatement(given, 'a rule')
  } catch (error) {
    if (isNftError(error)) return undefined
    throw error
  }
}

const verdicts = ['accept', 'drop', 'return', 'continue', 'notrack'] as const

function actionIn(words: Words, family: Family): Statement | undefined {
  for (const kind of verdicts) if (words.take(kind)) return { kind }
  for (const kind of ['jump', 'goto'] as const) if (words.take(kind)) return { kind, chain: words.next()?.text ?? '' }
  if (words.take('counter')) return counterIn(words)
  if (words.take('meta', 'mark', 'set')) return markSet('mark set', words)
  if (words.take('ct', 'mark', 'set')) return markSet('ct mark set', words)
  if (words.take('ct', 'zone', 'set')) return { kind: 'ct zone set', to: Number(words.next()?.text) }
  if (words.take('meta', 'nftrace', 'set')) return { kind: 'nftrace set', to: words.next()?.text === '0' ? 0 : 1 }
  for (const kind of ['redirect', 'masquerade'] as const) {
    if (!words.take(kind)) continue
    if (!words.take('to')) return { kind }
    const to = endpointIn(words)
    return to === undefined || to.address !== undefined ? undefined : { kind, ...to }
  }
  for (const kind of ['tproxy', 'dnat', 'snat'] as const) if (words.take(kind)) return translation(kind, words, family)
  return undefined
}

function translation(kind: 'tproxy' | 'dnat' | 'snat', words: Words, family: Family): Statement | undefined {
  const of = words.take('ip') ? 'ip' : words.take('ip6') ? 'ip6' : family === 'inet' ? undefined : family
  const to = words.take('to') ? endpointIn(words) : undefined
  if (to === undefined || (of !== undefined && of !== 'ip' && of !== 'ip6')) return undefined
  if (kind === 'tproxy') return { kind, ...(of === undefined ? undefined : { family: of }), ...to }
  return of === undefined ? undefined : { kind, family: of, ...to }
}

function counterIn(words: Words): Statement {
  const count = (what: string): bigint => {
    const number = words.peek(1)?.text ?? ''
    return /^\d+$/.test(number) && words.take(what, number) ? BigInt(number) : 0n
  }
  return { kind: 'counter', packets: count('packets'), bytes: count('bytes') }
}

function markSet(kind: 'mark set' | 'ct mark set', words: Words): Statement {
  if (words.take('meta', 'mark')) return { kind, to: { of: 'mark' } }
  if (words.take('ct', 'mark')) return { kind, to: { of: 'ct mark' } }
  return { kind, to: Number(words.next()?.text) }
}

interface Endpoint {
  readonly address?: string
  readonly port?: number
}

/** Parses a NAT target such as `[::1]:80`. `undefined` for ranges and NAT flags. */
function endpointIn(words: Words): Endpoint | undefined {
  const text = words.next()?.text ?? ''
  if (flags.test(words.peek()?.text ?? '')) return undefined
  const [whole, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:-]*))(?::(\d+))?$/.exec(text) ?? []
  const address = whole === undefined && /^[0-9a-f:.]+$/.test(text) ? text : (bracketed ?? plain)
  if (address === undefined) return undefined
  return {
    ...(address === '' ? undefined : { address }),
    ...(port === undefined ? undefined : { port: Number(port) }),
  }
}

const flags = /^(?:random|persistent|fully-random)/

const ops: readonly MatchOp[] = ['!=', '<', '<=', '>', '>=']

function matchIn(words: Words): Statement | undefined {
  const kind = kinds.find((each) => words.take(...each.split(' ')) || words.take('meta', each))
  if (kind === undefined) return undefined
  const op = ops.find((each) => words.take(each))
  // In nft's syntax, `==` before flags means exactly these flags. Flags without `==` match any of the flags.
  const isExact = op === undefined && words.take('==') && selectors[kind].type.flags === true
  const operand = operandIn(kind, words)
  const value = isExact && operand !== undefined ? { set: [operand] } : operand
  // The type cast is safe, because the operand was parsed with the data type of `kind`.
  return value === undefined ? undefined : ({ kind, ...(op === undefined ? undefined : { op }), value } as Statement)
}

/** Names of selectors, the longest first, because a short name can begin a longer name. */
const kinds = (Object.keys(selectors) as Selector[]).sort((a, b) => b.length - a.length)

function operandIn(kind: Selector, words: Words): unknown {
  const { type } = selectors[kind]
  const first = words.peek()
  if (first === undefined) return undefined
  if (first.text === '{' && !first.quoted) {
    const tokens = braced(words)
    const set = tokens && keysIn(type, tokens)
    return set && { set }
  }
  if (first.text.startsWith('@') && !first.quoted) return { named: words.next()?.text.slice(1) }
  if (words.take('&')) {
    const mask = words.next()
    if (mask === undefined || !words.take('==')) return undefined
    const value = words.next()
    return value && { value: keyIn(type, value), mask: keyIn(type, mask) }
  }
  words.next()
  // Leaves the condition `raw`, because nft compares flags with `|` or `/` as one number.
  return words.peek()?.text === '|' || words.peek()?.text === '/' ? undefined : keyIn(type, first)
}
