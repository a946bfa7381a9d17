import { decodeExpressions } from './expression.ts'
import type { Expression } from './expressions.ts'
import { type Family, hooksOf } from './family.ts'
import { decodeFields } from './fields.ts'
import { NFGENMSG } from './messages.ts'
import type { ObjectKind } from './object-kind.ts'
import { objects } from './objects.ts'
import type { BaseChain, ChainName, ElementFlag, RuleName, SetFlag, SetName, TableName } from './specs.ts'
import { commentIn } from './userdata.ts'
import type { Verdict } from './verdict.ts'

/** What programs noted with it. */
export interface NotesRead {
  readonly comment?: string
  /** All notes, see {@link decodeUserdata}. */
  readonly userdata?: Uint8Array
}

/** A table that is there, or was. */
export interface NftTable extends TableName, NotesRead {
  readonly handle: bigint
  /** As those of a table to add; none is 0. */
  readonly flags?: number
  /** Chains, sets and other things in it. */
  readonly use?: number
  /** The socket that owns it. */
  readonly owner?: number
}

/** A chain that is there, or was. */
export interface NftChain extends ChainName, NotesRead {
  readonly handle: bigint
  /** Rules in it, and jumps to it. */
  readonly use?: number
  readonly base?: BaseChain
  /** Of a base chain. */
  readonly policy?: 'accept' | 'drop'
}

/** A rule that is there, or was. */
export interface NftRule extends RuleName, NotesRead {
  /** Read when it is first looked at. */
  readonly expressions: readonly Expression[]
  /** The same as bytes: equal to those of {@link encodeExpressions} for the same rule, except for what counters count. */
  readonly bytes: Buffer
}

/** A set or a map that is there, or was. */
export interface NftSet extends SetName, NotesRead {
  readonly handle: bigint
  readonly flags?: readonly SetFlag[]
  readonly keyType: number
  readonly keyLength: number
  readonly dataType?: number | 'verdict'
  readonly dataLength?: number
  readonly size?: number
  readonly concat?: readonly number[]
  readonly timeout?: bigint
}

/** An element that is there, or was. */
export interface NftElement extends NotesRead {
  readonly key?: Uint8Array
  readonly keyEnd?: Uint8Array
  readonly data?: Uint8Array | Verdict
  readonly flags?: readonly ElementFlag[]
  readonly timeout?: bigint
  /** Milliseconds that are left. */
  readonly expiration?: bigint
}

/** The comment is what most read of the notes. */
function noted<T extends { readonly userdata?: Uint8Array }>(values: T, kind: ObjectKind): T & NotesRead {
  const { userdata } = values
  const comment = userdata === undefined ? undefined : commentIn(userdata, kind)
  return comment === undefined ? values : { ...values, comment }
}

export function tableIn(family: Family, body: Buffer): NftTable {
  return { family, ...noted(decodeFields(objects.table.fields, body, NFGENMSG), 'table') }
}

export function chainIn(family: Family, body: Buffer): NftChain {
  const read = noted(decodeFields(objects.chain.fields, body, NFGENMSG), 'chain')
  const { hook: where, type, flags: _, counters: __, id: ___, ...chain } = read
  const hook = hooksOf(family)[where?.hook ?? -1]
  // A kind of chain that we do not know is there all the same.
  return where === undefined || hook === undefined || !isChainType(type)
    ? { family, ...chain }
    : { family, ...chain, base: { ...where, type, hook } }
}

function isChainType(type: string | undefined): type is BaseChain['type'] {
  return type === 'filter' || type === 'nat' || type === 'route'
}

export function ruleIn(family: Family, body: Buffer): NftRule {
  const read = noted(decodeFields(objects.rule.fields, body, NFGENMSG), 'rule')
  const { expressions: bytes = Buffer.alloc(0), compat: _, position: __, id: ___, positionId: ____, ...rule } = read
  let expressions: readonly Expression[] | undefined
  return {
    ...{ family, ...rule, bytes },
    // Who compares bytes needs none.
    get expressions() {
      expressions ??= decodeExpressions(bytes)
      return expressions
    },
  }
}

export function setIn(family: Family, body: Buffer): NftSet {
  const read = noted(decodeFields(objects.set.fields, body, NFGENMSG), 'set')
  const { description, structure: _, count: __, ...set } = read
  const { size, concat } = description ?? {}
  return {
    ...{ family, ...set },
    ...(size === undefined ? {} : { size }),
    ...(concat === undefined ? {} : { concat: concat.map(({ length }) => length) }),
  }
}

/** The elements that one message tells of, and the set they are in. */
export function elementsIn(family: Family, body: Buffer): { readonly set: SetName; readonly elements: NftElement[] } {
  const { table, set, elements = [] } = decodeFields(objects.element.fields, body, NFGENMSG)
  return { set: { family, table, set }, elements: elements.map((element) => noted(element, 'element')) }
}
