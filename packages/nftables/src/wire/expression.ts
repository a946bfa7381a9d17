import { type Attribute, cString, decodeAttributes, encodeAttributes, readCString } from '@cni/netns/netlink'
import { type Expression, expressions } from './expressions.ts'
import { byTypeOf, encodeFields, type Fields, readFields } from './fields.ts'
import { invalid } from './nft-error.ts'

const NFTA_LIST_ELEM = 1
const NFTA_EXPR_NAME = 1
const NFTA_EXPR_DATA = 2

/**
 * The expressions of a rule, as the value of its attribute: the very bytes that the kernel gives back, counters aside.
 * Nested attributes are not marked as such, because the kernel does not mark its own. Throws `NftError('INVALID')`.
 */
export function encodeExpressions(list: readonly Expression[]): Buffer {
  return encodeAttributes(list.map((expression): Attribute => [NFTA_LIST_ELEM, encodeExpression(expression)]))
}

/**
 * Reads them again. What we do not know, or what could not be written the same, is a {@link RawExpression}: writing what
 * was read never changes a rule. Throws `NetnsError('PROTOCOL')` when a length lies.
 */
export function decodeExpressions(bytes: Buffer): Expression[] {
  return decodeAttributes(bytes).map(([, element]) => decodeExpression(element))
}

function encodeExpression(expression: Expression): Buffer {
  const { name } = expression
  if (name === 'raw') return encoded(expression.of, expression.data)
  if (!isKnown(name)) return invalid(`There is no expression ${JSON.stringify(name)}`)
  const fields = expressions[name]
  // As nft: an expression that can say nothing has no data, one that says nothing has empty data.
  return encoded(name, hasData(fields) ? encodeAttributes(encodeFields(fields, expression, name)) : undefined)
}

function encoded(name: string, data: Uint8Array | undefined): Buffer {
  const attributes: Attribute[] = [[NFTA_EXPR_NAME, cString(name)]]
  if (data !== undefined) attributes.push([NFTA_EXPR_DATA, data])
  return encodeAttributes(attributes)
}

function decodeExpression(element: Buffer): Expression {
  const attributes = new Map(decodeAttributes(element))
  const name = readCString(attributes.get(NFTA_EXPR_NAME)) ?? ''
  const data = attributes.get(NFTA_EXPR_DATA)
  if (isKnown(name) && hasData(expressions[name]) === (data !== undefined)) {
    const { values, exact } = readFields(expressions[name], data ?? Buffer.alloc(0))
    // The parse boundary: these are all the fields of this name.
    if (exact) return { name, ...values } as Expression
  }
  return { name: 'raw', of: name, ...(data === undefined ? {} : { data }) }
}

/** What the kernel calls the attribute of an expression, for messages. */
export function fieldName(name: string, type: number): string | undefined {
  return isKnown(name) ? byTypeOf(expressions[name]).get(type)?.[0] : undefined
}

function hasData(fields: Fields): boolean {
  return Object.keys(fields).length > 0
}

function isKnown(name: string): name is keyof typeof expressions {
  return Object.hasOwn(expressions, name)
}
