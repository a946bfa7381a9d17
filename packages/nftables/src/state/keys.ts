import type { EncodedSet } from '../encode/encoded.ts'
import type { NftElement, NftSet } from '../wire/dumps/set-records.ts'
import { decodeExpressions } from '../wire/expressions/expression.ts'
import type { Expressions } from '../wire/expressions/expression-types.ts'
import type { ElementSpec } from '../wire/specs.ts'
import { withComment } from '../wire/userdata.ts'

/** Function that returns the content of an anonymous set as text; `undefined` for named sets. */
export type SetTextOf = (lookup: Expressions['lookup']) => string | undefined

/** Text that is the same for equal rules, without counter values and names of anonymous sets. */
export function ruleKey(bytes: Buffer, userdata: Uint8Array | undefined, setText: SetTextOf): string {
  const text = bytes.toString('latin1')
  let key = ''
  let copied = 0
  for (let at = 0; at + NAME <= bytes.length; ) {
    const length = bytes.readUInt16LE(at)
    if (length < NAME) break
    const end = at + ((length + 3) & ~3)
    const isCounter = text.startsWith('counter', at + NAME)
    const other =
      !isCounter && text.startsWith('lookup', at + NAME) ? lookupText(bytes.subarray(at, end), setText) : undefined
    if (isCounter || other !== undefined) {
      key += `${text.slice(copied, at)}${other ?? 'counter'}`
      copied = end
    }
    at = end
  }
  key += text.slice(copied)
  return userdata === undefined ? key : `${key} comment ${Buffer.from(userdata).toString('latin1')}`
}

/** Text by which sets are compared: sets with equal type and content have the same text. */
export function setText(set: NftSet | EncodedSet, elements: readonly (NftElement | ElementSpec)[]): string {
  return [specText(set), ...elements.map(elementText).sort()].join('\n')
}

/** Text by which the types of sets are compared: sets of equal type have the same text. */
export function specText({ flags = [], keyType, keyLength, dataType, dataLength }: NftSet | EncodedSet): string {
  // Ignores the flag `constant`, because the kernel itself may add the flag to a set.
  const own = flags.filter((flag) => flag !== 'constant').sort()
  return [own.join(' '), keyType, keyLength, dataType ?? '', dataLength ?? ''].join(' ')
}

/** Text by which set elements are compared. Contains key, flags, data, timeout and comment. */
export function elementText(element: NftElement | ElementSpec): string {
  const { key, keyEnd, data, flags = [], timeout = '', userdata } = element
  const { comment = '' } = element.comment === undefined && userdata ? withComment({ userdata }, 'element') : element
  const found = data === undefined ? '' : data instanceof Uint8Array ? hex(data) : Object.values(data).join(' ')
  return [hex(key), hex(keyEnd), flags.join(' '), found, timeout, comment].join('|')
}

// internal

/** Offset of the name in an encoded expression, after two attribute headers. */
const NAME = 8

/** Text of a `lookup` with the content of its anonymous set. Returns `undefined` for a named set. */
function lookupText(element: Buffer, setText: SetTextOf): string | undefined {
  const [found] = decodeExpressions(element)
  const text = found?.name === 'lookup' ? setText(found) : undefined
  if (found?.name !== 'lookup' || text === undefined) return undefined
  return ['lookup', found.sreg, found.dreg ?? '', found.flags ?? 0, text].join(' ')
}

const hex = (bytes: Uint8Array | undefined) => (bytes === undefined ? '' : Buffer.from(bytes).toString('hex'))
