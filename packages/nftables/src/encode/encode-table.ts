import type { Chain, NamedSet, Ruleset, Table } from '../rules/model.ts'
import { type Batch, messagesOf } from '../wire/batch/batch.ts'
import { addElements, addSet } from '../wire/dumps/sets.ts'
import type { Expression } from '../wire/expressions/expression-types.ts'
import type { TableName } from '../wire/specs.ts'
import { encodeRule } from './encode-rule.ts'
import type { EncodeContext, EncodedSet } from './encoded.ts'
import { encodeNamedSet } from './named-set.ts'

/** Adds tables to a batch. With `exclusive` the kernel refuses the batch if a table exists. */
export function addRuleset(
  batch: Batch,
  { tables }: Ruleset,
  options?: { readonly exclusive?: boolean | undefined },
): Batch {
  for (const table of tables) {
    addTable(batch, table, options)
    for (const chain of table.chains) addChain(batch, table, chain)
    for (const set of table.sets) addNamedSet(batch, table, set)
    for (const chain of table.chains) addRules(batch, table, chain)
  }
  return batch
}

/** Adds a table without its content to a batch. */
export function addTable(batch: Batch, table: Table, options?: { readonly exclusive?: boolean | undefined }): void {
  const { comment } = table
  batch.addTable({ ...nameOf(table), ...(comment === undefined ? undefined : { comment }) }, options)
}

/** Adds a chain without its rules to a batch. If the chain exists, the kernel changes the chain's policy. */
export function addChain(batch: Batch, table: Table, { name, base, policy, comment }: Chain): void {
  batch.addChain({
    ...{ ...nameOf(table), chain: name },
    ...(base === undefined ? undefined : { base, policy: policy ?? 'accept' }),
    ...(comment === undefined ? undefined : { comment }),
  })
}

/** Adds a named set with its elements to a batch. */
export function addNamedSet(batch: Batch, table: Table, set: NamedSet): void {
  addEncoded(batch, table, set.name, encodeNamedSet(set))
}

/** Adds rules to a batch, after the existing rules of their chain. */
export function addRules(batch: Batch, table: Table, { name, rules }: Chain): void {
  const context = contextOf(table)
  for (const rule of rules) {
    const { expressions, sets } = encodeRule(rule, context)
    const ids = sets.map((set) => addEncoded(batch, table, setName(set), set))
    const { comment } = rule
    batch.addRule({
      ...{ ...nameOf(table), chain: name },
      expressions: ids.length === 0 ? expressions : expressions.map((each) => withId(each, ids)),
      ...(comment === undefined ? undefined : { comment }),
    })
  }
}

/** Facts about a table that are needed to encode the table's rules. */
export function contextOf({ family, sets }: Table): EncodeContext {
  return { family, isInterval: (name) => sets.find((set) => set.name === name)?.interval === true }
}

/** Converts the family and name of a ruleset's table to the form that netlink requests use. */
export const nameOf = ({ family, name }: Pick<Table, 'family' | 'name'>): TableName => ({ family, table: name })

// internal

const setName = ({ dataType }: EncodedSet) => (dataType === undefined ? '__set%d' : '__map%d')

function addEncoded(batch: Batch, table: Table, set: string, { elements, ...spec }: EncodedSet): number {
  const named = { ...nameOf(table), set, setId: messagesOf(batch).nextId }
  addSet(batch, { ...spec, ...named })
  if (elements.length > 0) addElements(batch, named, elements)
  return named.setId
}

/** Replaces the index of an anonymous set in a rule's `lookup` by the set's id in the batch. */
function withId(expression: Expression, ids: readonly number[]): Expression {
  if (expression.name !== 'lookup' || expression.setId === undefined) return expression
  const setId = ids[expression.setId]
  return setId === undefined ? expression : { ...expression, setId }
}
