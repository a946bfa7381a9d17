import { invalid } from '../wire/nft-error.ts'
import { canonicalAction } from './actions.ts'
import { compareBytes } from './compare-bytes.ts'
import { type Compared, comparedWith, keySpan, operandOf, shown, wrong } from './compared.ts'
import type { DataType, Span } from './data-type.ts'
import { isSelector, selectors } from './selector.ts'
import { isPoint, keyOf } from './spans.ts'
import { isMatch, type Match, type MatchOp, type Statement, type Vmap } from './statement.ts'

const OPS: readonly unknown[] = ['!=', '<', '<=', '>', '>=']

/**
 * Validates a statement of a rule and returns its canonical form, frozen. Throws `NftError('INVALID')`; `where` begins
 * the message.
 */
export function canonicalStatement(statement: Statement, where: string): Statement {
  if (statement.kind === 'vmap') return canonicalVmap(statement, where)
  if (statement.kind === 'raw') {
    const { expressions } = statement
    if (!Array.isArray(expressions)) wrong(expressions, 'a list of expressions', `${where}: raw`)
    return Object.freeze({ kind: 'raw', expressions: Object.freeze([...expressions]) })
  }
  return isMatch(statement) ? canonicalMatch(statement, where) : canonicalAction(statement, where)
}

/** Validates the operand of a condition and returns the operand as bytes. Throws `NftError('INVALID')`. */
export function comparison({ kind, op, value }: Match, where = '', single = false): Compared {
  const what = where === '' ? kind : `${where}: ${kind}`
  if (!isSelector(kind)) return invalid(`${what}: unknown condition`)
  if (op !== undefined && !OPS.includes(op)) wrong(op, `one of ${OPS.join(' ')}`, what)
  const { type } = selectors[kind]
  return withOp(type, op, comparedWith(type, value, what, single), what)
}

/** Validates the elements of a verdict map and returns them as bytes, sorted by key. Throws `NftError('INVALID')`. */
export function vmapSpans(vmap: Vmap, where = ''): readonly (readonly [Span, VmapElement])[] {
  const what = `${where === '' ? '' : `${where}: `}${vmap.on} vmap`
  if (!isSelector(vmap.on)) return invalid(`${what}: unknown condition`)
  if ('named' in vmap.map) return []
  const { type } = selectors[vmap.on]
  const elements: readonly VmapElement[] = vmap.map.elements
  if (!Array.isArray(elements) || elements.length === 0) wrong(elements, 'a list of at least one element', what)
  const spans = elements.map((each) => [keySpan(type, each.key, what), each] as const)
  spans.sort(([a], [b]) => compareBytes(a.from, b.from))
  spans.forEach(([span], at) => {
    const before = spans[at - 1]?.[0]
    if (before !== undefined && compareBytes(before.to, span.from) >= 0)
      invalid(`${what}: two elements for ${shown(keyOf(type, span))}`)
  })
  return spans
}

type VmapElement = Extract<Vmap['map'], { readonly elements: unknown }>['elements'][number]

// internal

function canonicalMatch(match: Match, where: string): Match {
  const { kind, op } = match
  const compared = comparison(match, where, true)
  const value = operandOf(selectors[kind].type, compared)
  // The type cast is safe, because `comparison` has validated the value with the data type of `kind`.
  return Object.freeze(op === undefined ? { kind, value } : { kind, op, value }) as Match
}

function withOp(type: DataType, op: MatchOp | undefined, compared: Compared, what: string): Compared {
  if (op === undefined) return compared
  if (op !== '!=') {
    const isNumber = compared.is === 'one' && isPoint(compared.span) && type.ordered === true
    return isNumber ? compared : invalid(`${what}: ${op} compares with a single number or address`)
  }
  if (compared.is === 'masked' && type.flags === true && compared.value.every((byte) => byte === 0)) {
    invalid(`${what}: != with an empty value matches any word of the mask; give these words without a mask`)
  }
  const only = compared.is === 'set' && compared.spans.length === 1 ? compared.spans[0] : undefined
  // Replaces a set of one value by the value: after `!=`, both mean the same for flags.
  return only !== undefined && type.flags === true ? { is: 'one', span: only } : compared
}

function canonicalVmap(vmap: Vmap, where: string): Vmap {
  const { on, map } = vmap
  const { type } = selectors[on]
  const spans = vmapSpans(vmap, where)
  const elements = spans.map(([span, { verdict }]) =>
    Object.freeze({ key: keyOf(type, span), verdict: Object.freeze(verdict) }),
  )
  const held = 'named' in map ? { named: map.named } : { elements: Object.freeze(elements) }
  // The type cast is safe, because `vmapSpans` has validated the keys with the data type of `on`.
  return Object.freeze({ kind: 'vmap', on, map: Object.freeze(held) }) as Vmap
}
