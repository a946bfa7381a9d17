import type { Expression } from '../wire/expressions/expression-types.ts'

/** Rule in the fake kernel. */
export interface FakeRule {
  readonly handle: bigint
  /** Id of the rule in the batch that adds the rule. The commit removes the id. */
  readonly id?: number | undefined
  readonly expressions: readonly Expression[]
  readonly userdata?: Buffer | undefined
}

/** Chain in the fake kernel. */
export interface FakeChain {
  readonly name: string
  readonly handle: bigint
  readonly base?: { readonly type: string; readonly hook: number; readonly priority: number } | undefined
  readonly policy?: number | undefined
  readonly userdata?: Buffer | undefined
  readonly rules: readonly FakeRule[]
}

/** Set element in the fake kernel: its netlink attributes by number. */
export type FakeElement = ReadonlyMap<number, Buffer>

/** Set in the fake kernel: its netlink attributes as in dumps, and its elements by key. */
export interface FakeSet {
  readonly name: string
  readonly id?: number | undefined
  readonly handle: bigint
  readonly flags: number
  readonly attributes: ReadonlyMap<number, Buffer>
  readonly elements: ReadonlyMap<string, FakeElement>
}

/** Table in the fake kernel. */
export interface FakeTable {
  readonly family: number
  readonly name: string
  readonly flags: number
  readonly handle: bigint
  readonly nextHandle: bigint
  readonly userdata?: Buffer | undefined
  readonly chains: ReadonlyMap<string, FakeChain>
  readonly sets: ReadonlyMap<string, FakeSet>
}

/** All tables of the fake kernel, copied for each change because failed transactions have no effect. */
export type FakeState = ReadonlyMap<string, FakeTable>

/** Netlink message that adds or deletes an object in the fake kernel. */
export interface FakeMessage {
  /** Message number within nf_tables (`NFT_MSG_…`). */
  readonly message: number
  readonly flags: number
  readonly body: Buffer
  readonly attributes: ReadonlyMap<number, Buffer>
}

/** Map key of a table in the fake kernel's state. */
export const keyOf = (family: number, name: string) => `${family} ${name}`

/** Copies a map, with one entry added or replaced. */
export function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map([...map, [key, value]])
}

/** Copies a map without one entry. */
export function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  return new Map([...map].filter(([each]) => each !== key))
}

/** Name of the chain that a rule's expression jumps to. `undefined` if the expression is not a jump. */
export function jumpOf(expression: Expression): string | undefined {
  return expression.name === 'immediate' && 'chain' in expression.data ? expression.data.chain : undefined
}

/** Number of jumps of a table's rules to a chain. Jumps in verdict maps are not counted. */
export function jumpsTo(table: FakeTable, chain: string): number {
  return allExpressions(table).filter((each) => jumpOf(each) === chain).length
}

/** Number of lookups of a table's rules in a set. */
export function lookupsOf(table: FakeTable, set: string): number {
  return allExpressions(table).filter((each) => each.name === 'lookup' && each.set === set).length
}

function allExpressions(table: FakeTable): Expression[] {
  return [...table.chains.values()].flatMap(({ rules }) => rules.flatMap(({ expressions }) => expressions))
}
