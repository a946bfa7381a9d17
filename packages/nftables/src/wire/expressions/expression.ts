import { decodeAttributes, readCString } from '@cni/netns/netlink'
import { type Fields, indexed, indexOf, readFields, writeFields } from '../fields/fields.ts'
import { type AttributeWriter, written } from '../fields/writer.ts'
import { invalid } from '../nft-error.ts'
import type { Expression } from './expression-types.ts'
import { expressions } from './expressions.ts'

const NFTA_LIST_ELEM = 1
const NFTA_EXPR_NAME = 1
const NFTA_EXPR_DATA = 2

const tables = new Map<string, Fields>(Object.entries(expressions).map(([name, fields]) => [name, indexed(fields)]))

/**
 * Encodes the expressions of a rule for the rule's netlink attribute. Except for counters, the bytes equal the bytes
 * that the kernel reports. Throws `NftError('INVALID')`.
 */
export function encodeExpressions(list: readonly Expression[]): Buffer {
  return written((writer) => writeExpressions(writer, list))
}

/** Writes the expressions of a rule as netlink attributes. Throws the errors of {@link encodeExpressions}. */
export function writeExpressions(writer: AttributeWriter, list: readonly Expression[]): void {
  for (const expression of list) {
    const known = memo.get(expression)
    if (known !== undefined) writer.raw(known)
    else if (Object.isFrozen(expression)) writer.raw(remembered(expression))
    else writeExpression(writer, expression)
  }
}

/** Cache of the bytes of frozen expressions, because many rules may share an expression. */
const memo = new WeakMap<Expression, Buffer>()

function remembered(expression: Expression): Buffer {
  const bytes = written((writer) => writeExpression(writer, expression))
  const isConstant = Object.values(expression).every((each) => typeof each !== 'object' || Object.isFrozen(each))
  if (isConstant) memo.set(expression, bytes)
  return bytes
}

function writeExpression(writer: AttributeWriter, expression: Expression): void {
  const { name } = expression
  const at = writer.open(NFTA_LIST_ELEM)
  writer.text(NFTA_EXPR_NAME, name === 'raw' ? expression.of : name)
  if (name !== 'raw') writeData(writer, name, expression)
  else if (expression.data !== undefined) writer.bytes(NFTA_EXPR_DATA, expression.data)
  writer.close(at)
}

/** Writes the data attribute of an expression. Skips kinds of expressions that have no attributes. */
function writeData(writer: AttributeWriter, name: string, expression: Expression): void {
  const fields = tables.get(name)
  if (fields === undefined) invalid(`There is no expression ${JSON.stringify(name)}`)
  if (!hasData(fields)) return
  const at = writer.open(NFTA_EXPR_DATA)
  writeFields(writer, fields, expression, name)
  writer.close(at)
}

/**
 * Decodes the expressions of a rule. An expression becomes `raw` if a second encoding would give other bytes. Decoding
 * and encoding therefore never change a rule. Throws `NetnsError('PROTOCOL')` for a wrong length.
 */
export function decodeExpressions(bytes: Buffer): Expression[] {
  return decodeAttributes(bytes).map(([, element]) => decodeExpression(element))
}

function decodeExpression(element: Buffer): Expression {
  const attributes = new Map(decodeAttributes(element))
  const name = readCString(attributes.get(NFTA_EXPR_NAME)) ?? ''
  const data = attributes.get(NFTA_EXPR_DATA)
  const fields = tables.get(name)
  if (fields !== undefined && hasData(fields) === (data !== undefined)) {
    const { values, exact } = readFields(fields, data ?? Buffer.alloc(0))
    // The type cast is safe, because `fields` declares the attributes of the expression `name`.
    if (exact) return { name, ...values } as Expression
  }
  return { name: 'raw', of: name, ...(data === undefined ? {} : { data }) }
}

/** Name of an expression's attribute by its number, for error messages. */
export function fieldName(name: string, type: number): string | undefined {
  const fields = tables.get(name)
  return fields === undefined ? undefined : indexOf(fields).byType.get(type)?.key
}

function hasData(fields: Fields): boolean {
  return indexOf(fields).list.length > 0
}
