import { writeExpressions } from '../expressions/expression.ts'
import { hooksOf } from '../family.ts'
import { n32, n64 } from '../fields/codec.ts'
import { indexed, may, must, writeFields } from '../fields/fields.ts'
import type { AttributeWriter } from '../fields/writer.ts'
import { NFT_MSG_DESTROYTABLE } from '../messages.ts'
import { NLM_F_APPEND, NLM_F_CREATE, NLM_F_REPLACE } from '../netlink-flags.ts'
import { invalid } from '../nft-error.ts'
import { chainFields, ruleFields, tableFields } from '../objects.ts'
import type { BaseChain, ChainName, RuleSpec, TableName } from '../specs.ts'
import { withUserdata } from '../userdata.ts'
import { adding, BatchMessages, type Subject } from './batch-messages.ts'
import { compatValues } from './compat.ts'

/**
 * Batch of changes to tables. The kernel commits a batch as one transaction. A method that throws adds nothing.
 *
 * Add a table before its chains and sets, and a set before its elements. Add a rule after the chains and sets that it
 * refers to.
 *
 * @example
 * const pod = { family: 'inet', table: 'ex' } as const
 * const batch = new Batch()
 *   .addTable(pod)
 *   .addChain({ ...pod, chain: 'output', base: { type: 'filter', hook: 'output', priority: 0 } })
 *   .addRule({ ...pod, chain: 'output', expressions: [{ name: 'counter' }], comment: 'everything' })
 * nft.commit(batch)
 */
export class Batch {
  /**
   * Generation number that the ruleset must have, or `undefined` for any. The kernel refuses the batch at any other
   * generation (`STALE`).
   */
  readonly generation: number | undefined

  constructor({
    generation,
    echo = false,
  }: {
    /**
     * Generation number that the namespace's ruleset must have. Default: any. The kernel refuses the batch at any other
     * generation (`STALE`).
     */
    readonly generation?: number | undefined
    /** True if the kernel has to report every change to the sender. Default: false. See `commit` of {@link Nft}. */
    readonly echo?: boolean | undefined
  } = {}) {
    this.generation = generation
    all.set(this, new BatchMessages(generation, echo))
  }

  /** Number of netlink messages in the batch. A batch without messages changes nothing. */
  get size(): number {
    return messagesOf(this).subjects.length
  }

  /** Adds a table. An existing table keeps its content. */
  addTable(
    spec: TableName &
      Pick<RuleSpec, 'comment' | 'userdata'> & {
        /**
         * Flags of the table. Default: 0. The flag 1 makes the table dormant. The kernel deletes a table with flag 2
         * together with its owner socket.
         */
        readonly flags?: number | undefined
      },
    options?: {
      /** True to refuse the batch if the object exists (`EEXIST`). Default: an existing object stays unchanged. */
      readonly exclusive?: boolean | undefined
    },
  ): this {
    return this.#add(TABLE, adding(options), spec.family, (writer) =>
      writeFields(writer, tableFields, withUserdata(spec, 'table'), 'table'),
    )
  }

  /** Deletes a table with its content. */
  deleteTable(name: TableName): this {
    return this.#delete(TABLE, name)
  }

  /** Deletes a table if it exists. Needs Linux 6.3 or later. */
  destroyTable(name: TableName): this {
    return this.#delete(TABLE, name, undefined, NFT_MSG_DESTROYTABLE)
  }

  /** Adds a chain. If the chain exists and `policy` is given, the kernel changes the chain's policy. */
  addChain(
    spec: ChainName &
      Pick<RuleSpec, 'comment' | 'userdata'> & {
        readonly base?: BaseChain | undefined
        /**
         * Policy of a base chain: verdict on packets at the chain's end. Default: an existing chain keeps its policy, a
         * new chain accepts.
         */
        readonly policy?: 'accept' | 'drop' | undefined
      },
    options?: { readonly exclusive?: boolean | undefined },
  ): this {
    const { base, family } = spec
    const hook = base === undefined ? 0 : hooksOf(family).indexOf(base.hook)
    if (hook < 0) return invalid(`${family} has no hook ${JSON.stringify(base?.hook)}`)
    const values = base === undefined ? spec : { ...spec, type: base.type, hook: { ...base, hook } }
    return this.#add(CHAIN, adding(options), family, (writer) =>
      writeFields(writer, chainFields, withUserdata(values, 'chain'), 'chain'),
    )
  }

  /** Deletes a chain with its rules. The kernel refuses the deletion if a rule jumps to the chain. */
  deleteChain({ family, table, chain }: ChainName): this {
    return this.#delete(CHAIN, { family, table, chain })
  }

  /** Adds a rule at its position in the chain, by default after the existing rules. */
  addRule(spec: RuleSpec): this {
    const { place = 'last' } = spec
    const isAfter = place === 'last' || (place !== 'first' && ('after' in place || 'afterId' in place))
    return this.#add(RULE, NLM_F_CREATE | (isAfter ? NLM_F_APPEND : 0), spec.family, (writer) => {
      writeRule(writer, spec)
      if (typeof place === 'object') writeFields(writer, POSITION_FIELDS, place, 'place')
    })
  }

  /** Replaces an existing rule by another rule. */
  replaceRule(handle: bigint, spec: Omit<RuleSpec, 'place'>): this {
    return this.#add(RULE, NLM_F_REPLACE, spec.family, (writer) => {
      writeRule(writer, spec)
      writeFields(writer, HANDLE, { handle }, 'rule')
    })
  }

  /** Deletes one rule of a chain, by the rule's handle. */
  deleteRule({ family, table, chain, handle }: ChainName & { readonly handle: bigint }): this {
    return this.#delete(RULE, { family, table, chain }, (writer) => writeFields(writer, HANDLE, { handle }, 'rule'))
  }

  /** Deletes all rules of a chain, or of all chains of a table. */
  flush({ family, table, chain }: TableName & { readonly chain?: string | undefined }): this {
    return this.#delete(RULE, { family, table, chain })
  }

  /** Returns the batch as bytes to send. If `commit` is false, the kernel only validates the batch. */
  bytes({ commit = true }: { readonly commit?: boolean } = {}): Buffer {
    return messagesOf(this).bytes(commit)
  }

  #add(...message: Parameters<BatchMessages['add']>): this {
    messagesOf(this).add(...message)
    return this
  }

  #delete(...message: Parameters<BatchMessages['delete']>): this {
    messagesOf(this).delete(...message)
    return this
  }
}

const all = new WeakMap<Batch, BatchMessages>()

/** Netlink messages of a batch. The class {@link Batch} itself does not expose its messages. */
export function messagesOf(batch: Batch): BatchMessages {
  return all.get(batch) ?? invalid('Not a batch')
}

const TABLE: Subject = { kind: 'table', fields: tableFields }
const CHAIN: Subject = { kind: 'chain', fields: chainFields }
const RULE: Subject = { kind: 'rule', fields: ruleFields }

const { table, chain, userdata, id } = ruleFields
/** Attributes of a rule without the expressions. Another function writes the expressions. */
const RULE_FIELDS = indexed({ table, chain, userdata, id })
const HANDLE = indexed({ handle: must(ruleFields.handle.type, n64) })
const POSITION = ruleFields.position.type
const POSITION_ID = ruleFields.positionId.type
const POSITION_FIELDS = indexed({
  ...{ before: may(POSITION, n64), after: may(POSITION, n64) },
  ...{ beforeId: may(POSITION_ID, n32), afterId: may(POSITION_ID, n32) },
})

function writeRule(writer: AttributeWriter, spec: Omit<RuleSpec, 'place'>): void {
  const { expressions, compat } = spec
  writeFields(writer, RULE_FIELDS, withUserdata(spec, 'rule'), 'rule')
  if (expressions instanceof Uint8Array) writer.bytes(ruleFields.expressions.type, expressions)
  else {
    const at = writer.open(ruleFields.expressions.type)
    writeExpressions(writer, expressions)
    writer.close(at)
  }
  if (compat !== undefined) {
    ruleFields.compat.codec.write(writer, ruleFields.compat.type, compatValues(compat))
  }
}
