import { decodeAttributes, readCString } from '@cni/netns/netlink'
import { type Expression, expressions } from './expressions.ts'
import { type Fields, indexOf, readFields, writeFields } from './fields.ts'
import { invalid } from './nft-error.ts'
import { type AttributeWriter, written } from './writer.ts'

const NFTA_LIST_ELEM = 1
const NFTA_EXPR_NAME = 1
const NFTA_EXPR_DATA = 2

/**
 * The expressions of a rule, as the value of its attribute: the very bytes that the kernel gives back, counters aside.
 * Throws `NftError('INVALID')`.
 */
export function encodeExpressions(list: readonly Expression[]): Buffer {
  return written((writer) => writeExpressions(writer, list))
}

/** Writes them. Throws as {@link encodeExpressions}. */
export function writeExpressions(writer: AttributeWriter, list: readonly Expression[]): void {
  for (const expression of list) {
    const at = writer.open(NFTA_LIST_ELEM)
    const nameAt = writer.open(NFTA_EXPR_NAME)
    writer.text(expression.name === 'raw' ? expression.of : expression.name)
    writer.close(nameAt)
    writeData(writer, expression)
    writer.close(at)
  }
}

/** As nft: an expression that can say nothing has no data, one that says nothing has empty data. */
function writeData(writer: AttributeWriter, expression: Expression): void {
  const { name } = expression
  if (name !== 'raw' && !isKnown(name)) invalid(`There is no expression ${JSON.stringify(name)}`)
  if (name === 'raw' ? expression.data === undefined : !hasData(expressions[name])) return
  const at = writer.open(NFTA_EXPR_DATA)
  if (name !== 'raw') writeFields(writer, expressions[name], expression, name)
  else if (expression.data !== undefined) writer.raw(expression.data)
  writer.close(at)
}

/**
 * Reads them again. What we do not know, or what could not be written the same, is a {@link RawExpression}: writing what
 * was read never changes a rule. Throws `NetnsError('PROTOCOL')` when a length lies.
 */
export function decodeExpressions(bytes: Buffer): Expression[] {
  return decodeAttributes(bytes).map(([, element]) => decodeExpression(element))
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
  return isKnown(name) ? indexOf(expressions[name]).byType.get(type)?.[0] : undefined
}

function hasData(fields: Fields): boolean {
  return Object.keys(fields).length > 0
}

function isKnown(name: string): name is keyof typeof expressions {
  return Object.hasOwn(expressions, name)
}
