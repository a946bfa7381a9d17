import {
  attributeMap,
  decodeAttributes,
  decodeMessages,
  type Message,
  type NetlinkError,
  readCString,
} from '@cni/netns/netlink'
import type { Subject } from '../batch/batch-messages.ts'
import { decodeExpressions, fieldName } from '../expressions/expression.ts'
import type { Expression } from '../expressions/expression-types.ts'
import { familyWord } from '../family.ts'
import { indexOf, readFields } from '../fields/fields.ts'
import { ADD, messageOfType, NFGENMSG } from '../messages.ts'
import type { Fault } from '../nft-error.ts'
import type { ObjectKind } from '../object-kind.ts'
import { namesOf, ruleFields } from '../objects.ts'
import { type Names, type RefusedPart, reasonOf } from './refusal-reason.ts'

/** Describes the refused messages of a batch, from the kinds of their objects and the bytes of the batch. */
export function faultsOf(
  subjects: readonly Subject[],
  sent: Buffer,
  refusals: readonly NetlinkError['refusal'][],
): Fault[] {
  const messages = decodeMessages(sent)
  // Subtracts 1, because `subjects` does not contain message 0, which only marks the beginning of the batch.
  return refusals.map((refusal) => faultOf(refusal, subjects[refusal.index - 1], messages[refusal.index]))
}

function faultOf(refusal: NetlinkError['refusal'], of: Subject | undefined, message: Message | undefined): Fault {
  const { index, errno, code, text, offset } = refusal
  const kernelText = text === undefined ? '' : ` (${text})`
  const known = { index: index - 1, errno, code }
  if (of === undefined || message === undefined) return { ...known, text: `The batch: ${code}${kernelText}` }
  const { kind } = of
  const { type, body } = message
  const action = messageOfType(type) === ADD[kind] ? 'add' : 'delete'
  const names = namesIn(kind, body)
  const refused = offset === undefined ? undefined : refusedPart(of, body, offset - NLMSG_HDRLEN)
  const expressions = kind === 'rule' ? expressionsIn(body) : []
  const reason = reasonOf({ code, action, kind, names, part: refused, expressions })
  const part = refused === undefined ? '' : ` at ${refused.part}`
  return {
    ...known,
    text: `${action === 'add' ? 'Add' : 'Delete'} ${subject(kind, names)}: ${code}${part}${reason === undefined ? '' : `, ${reason}`}${kernelText}`,
    kind,
    ...names,
    part: refused?.part,
    expression: refused?.expression,
  }
}

const NLMSG_HDRLEN = 16

function namesIn(kind: ObjectKind, body: Buffer): Names {
  const { table, chain, set }: Omit<Names, 'family'> = readFields(namesOf(kind), body, NFGENMSG).values
  return { family: familyWord(body[0]), table, chain, set }
}

function subject(kind: ObjectKind, { family, table, chain, set }: Names): string {
  const where = `table ${family} ${JSON.stringify(table)}`
  if (kind === 'table') return where
  if (kind === 'rule')
    return chain === undefined ? `the rules of ${where}` : `a rule of chain ${JSON.stringify(chain)} in ${where}`
  if (kind === 'element') return `elements of set ${JSON.stringify(set)} in ${where}`
  const name = chain ?? set
  return `${kind} ${name === undefined ? '' : `${JSON.stringify(name)} `}in ${where}`
}

const EXPRESSIONS = ruleFields.expressions.type

function expressionsIn(body: Buffer): readonly Expression[] {
  const bytes = attributeMap(body, NFGENMSG).get(EXPRESSIONS)
  return bytes === undefined ? [] : decodeExpressions(bytes)
}

/** Finds the refused attribute or expression by its offset in the message. */
function refusedPart({ kind, fields }: Subject, body: Buffer, offset: number): RefusedPart | undefined {
  const found = attributeAt(body.subarray(NFGENMSG), offset - NFGENMSG)
  if (found === undefined) return undefined
  const part = indexOf(fields).byType.get(found.type)?.key
  if (kind !== 'rule' || found.type !== EXPRESSIONS) return part === undefined ? undefined : { part }
  const element = attributeAt(found.value, found.rest)
  if (element === undefined) return { part: 'expressions' }
  const name = readCString(attributeMap(element.value).get(1)) ?? ''
  const inside = attributeAt(element.value, element.rest)
  const field = inside?.type === 2 ? attributeAt(inside.value, inside.rest) : undefined
  const words = field === undefined ? undefined : fieldName(name, field.type)
  return {
    part: `expression ${element.index} (${name})${words === undefined ? '' : ` ${words}`}`,
    expression: element.index,
  }
}

interface Found {
  readonly index: number
  readonly type: number
  readonly value: Buffer
  /** Offset in the attribute's value. A negative number means an offset in the attribute's header. */
  readonly rest: number
}

/** Finds the netlink attribute at an offset. The first attribute begins at offset 0. */
function attributeAt(bytes: Buffer, offset: number): Found | undefined {
  let at = 0
  let index = 0
  for (const [type, value] of decodeAttributes(bytes)) {
    const end = at + NLA_HDRLEN + ((value.length + 3) & ~3)
    if (offset >= at && offset < end) return { index, type, value, rest: offset - at - NLA_HDRLEN }
    at = end
    index++
  }
  return undefined
}

const NLA_HDRLEN = 4
