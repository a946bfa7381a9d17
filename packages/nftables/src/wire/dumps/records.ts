import { decodeExpressions } from '../expressions/expression.ts'
import type { Expression } from '../expressions/expression-types.ts'
import { type Family, familyWord, hooksOf } from '../family.ts'
import { decodeFields, indexed } from '../fields/fields.ts'
import { NFGENMSG } from '../messages.ts'
import { chainFields, ruleFields, tableFields } from '../objects.ts'
import type { BaseChain, ChainName, TableName } from '../specs.ts'
import { withComment } from '../userdata.ts'

/** A table in the kernel, or a deleted one. */
export interface NftTable extends TableName {
  readonly handle: bigint
  readonly comment?: string
  /** All user data; see `userdata` of {@link RuleSpec}. */
  readonly userdata?: Uint8Array
  /** Flags, as for a table to add. Absent if 0. */
  readonly flags?: number
  /** Number of chains, sets and other objects in the table. */
  readonly use?: number
  /** Port of the socket that owns the table. */
  readonly owner?: number
}

/** A chain in the kernel, or a deleted one. */
export interface NftChain extends ChainName, Pick<NftTable, 'comment' | 'userdata'> {
  readonly handle: bigint
  /** Number of the chain's rules, plus the number of jumps to the chain. */
  readonly use?: number
  readonly base?: BaseChain
  /** Policy of the chain, if it is a base chain. */
  readonly policy?: 'accept' | 'drop'
}

/** A rule in the kernel, or a deleted one. */
export interface NftRule extends ChainName, Pick<NftTable, 'comment' | 'userdata'> {
  readonly handle: bigint
  /** Expressions, decoded at the first access. */
  readonly expressions: readonly Expression[]
  /**
   * Expressions as bytes. They are equal to {@link encodeExpressions} of the same rule, except for the values of
   * counters.
   */
  readonly bytes: Buffer
}

/** Decodes messages. Skips messages of unknown families. */
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
  // A chain of unknown type has no `base`.
  return where === undefined || hook === undefined || !isChainType(type)
    ? { family, ...chain }
    : { family, ...chain, base: { ...where, type, hook } }
}

function isChainType(type: string | undefined): type is BaseChain['type'] {
  return type === 'filter' || type === 'nat' || type === 'route'
}

/** Attributes of rules that are decoded. The rest is skipped, because there may be thousands of rules. */
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
    // Decoded on first access: callers that compare only bytes need no expressions.
    get expressions() {
      expressions ??= decodeExpressions(bytes)
      return expressions
    },
  }
  return userdata === undefined ? rule : Object.assign(rule, { userdata }, comment === undefined ? {} : { comment })
}
