import { decodeExpressions } from '../expressions/expression.ts'
import type { Expression } from '../expressions/expression-types.ts'
import { type Family, familyWord, hooksOf } from '../family.ts'
import { decodeFields, indexed } from '../fields/fields.ts'
import { NFGENMSG } from '../messages.ts'
import { chainFields, ruleFields, tableFields } from '../objects.ts'
import type { BaseChain, ChainName, TableName } from '../specs.ts'
import { withComment } from '../userdata.ts'

/** Table as the kernel reports it in a list, or in an event about its creation or deletion. */
export interface NftTable extends TableName {
  readonly handle: bigint
  readonly comment?: string
  /** User data of the table or chain, with the comment. See `userdata` of {@link RuleSpec}. */
  readonly userdata?: Uint8Array
  /** Flags of the table: 1 means dormant, 2 means owned by a socket. Absent if 0. */
  readonly flags?: number
  /** Number of chains, sets, stateful objects and flowtables in the table. */
  readonly use?: number
  /** Netlink port of the socket that owns the table. */
  readonly owner?: number
}

/** Chain as the kernel reports it in a list, or in an event about its creation or deletion. */
export interface NftChain extends ChainName, Pick<NftTable, 'comment' | 'userdata'> {
  readonly handle: bigint
  /** Number of the chain's rules, plus the number of jumps to the chain. */
  readonly use?: number
  readonly base?: BaseChain
  /** Policy of the chain, if it is a base chain. */
  readonly policy?: 'accept' | 'drop'
}

/** Rule as the kernel reports it in a list, or in an event about its creation or deletion. */
export interface NftRule extends ChainName, Pick<NftTable, 'comment' | 'userdata'> {
  readonly handle: bigint
  /** Expressions of the rule, decoded at the first access. */
  readonly expressions: readonly Expression[]
  /** Expressions of the rule as bytes. Equal to {@link encodeExpressions} of the rule, except for counter values. */
  readonly bytes: Buffer
}

/** Decodes netlink messages of the kernel about objects. Skips messages of unknown families. */
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
  // A base chain of unknown type is reported without `base`.
  return where === undefined || hook === undefined || !isChainType(type)
    ? { family, ...chain }
    : { family, ...chain, base: { ...where, type, hook } }
}

function isChainType(type: string | undefined): type is BaseChain['type'] {
  return type === 'filter' || type === 'nat' || type === 'route'
}

/** Rule attributes to decode. Leaving out the other attributes saves time for namespaces with thousands of rules. */
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
    // Decodes the rule's expressions on first access, because many callers compare only the bytes.
    get expressions() {
      expressions ??= decodeExpressions(bytes)
      return expressions
    },
  }
  return userdata === undefined ? rule : Object.assign(rule, { userdata }, comment === undefined ? {} : { comment })
}
