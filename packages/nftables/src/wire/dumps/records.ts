import { decodeExpressions } from '../expressions/expression.ts'
import type { Expression } from '../expressions/expression-types.ts'
import { type Family, familyWord, hooksOf } from '../family.ts'
import { decodeFields, indexed } from '../fields/fields.ts'
import { NFGENMSG } from '../messages.ts'
import { chainFields, ruleFields, tableFields } from '../objects.ts'
import type { BaseChain, ChainName, TableName } from '../specs.ts'
import { withComment } from '../userdata.ts'

/** A table that is there, or was. */
export interface NftTable extends TableName {
  readonly handle: bigint
  readonly comment?: string
  /** All notes, see `userdata` of {@link RuleSpec}. */
  readonly userdata?: Uint8Array
  /** As those of a table to add; none is 0. */
  readonly flags?: number
  /** Chains, sets and other things in it. */
  readonly use?: number
  /** The socket that owns it. */
  readonly owner?: number
}

/** A chain that is there, or was. */
export interface NftChain extends ChainName, Pick<NftTable, 'comment' | 'userdata'> {
  readonly handle: bigint
  /** Rules in it, and jumps to it. */
  readonly use?: number
  readonly base?: BaseChain
  /** Of a base chain. */
  readonly policy?: 'accept' | 'drop'
}

/** A rule that is there, or was. */
export interface NftRule extends ChainName, Pick<NftTable, 'comment' | 'userdata'> {
  readonly handle: bigint
  /** Read when it is first looked at. */
  readonly expressions: readonly Expression[]
  /** The same as bytes: equal to those of {@link encodeExpressions} for the same rule, except for what counters count. */
  readonly bytes: Buffer
}

/** What messages tell; those of a family we do not know are left out. */
export function decodeAll<T>(bodies: readonly Buffer[], decode: (family: Family, body: Buffer) => T): T[] {
  return bodies.flatMap((body) => {
    const family = familyWord(body[0])
    return family === undefined ? [] : [decode(family, body)]
  })
}

export function tableIn(family: Family, body: Buffer): NftTable {
  return { family, ...withComment(decodeFields(tableFields, body, NFGENMSG), 'table') }
}

export function chainIn(family: Family, body: Buffer): NftChain {
  const read = withComment(decodeFields(chainFields, body, NFGENMSG), 'chain')
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

/** The kernel tells more of a rule; of thousands that is not read. */
const { table, chain, handle, expressions, userdata } = ruleFields
const toldOfRules = indexed({ table, chain, handle, expressions, userdata })

export function ruleIn(family: Family, body: Buffer): NftRule {
  const { comment, userdata, ...read } = withComment(decodeFields(toldOfRules, body, NFGENMSG), 'rule')
  const { table, chain, handle, expressions: bytes = Buffer.alloc(0) } = read
  let expressions: readonly Expression[] | undefined
  const rule: NftRule = {
    family,
    table,
    chain,
    handle,
    bytes,
    // Who compares bytes needs none.
    get expressions() {
      expressions ??= decodeExpressions(bytes)
      return expressions
    },
  }
  return userdata === undefined ? rule : Object.assign(rule, { userdata }, comment === undefined ? {} : { comment })
}
