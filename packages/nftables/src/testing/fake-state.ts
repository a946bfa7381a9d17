import type { Expression } from '../wire/expressions/expression-types.ts'

/** A rule of the fake. */
export interface FakeRule {
  readonly handle: bigint
  /** Id in the batch that adds the rule; removed by the commit. */
  readonly id?: number | undefined
  readonly expressions: readonly Expression[]
  readonly userdata?: Buffer | undefined
}

/** A chain of the fake. */
export interface FakeChain {
  readonly name: string
  readonly handle: bigint
  readonly base?: { readonly type: string; readonly hook: number; readonly priority: number } | undefined
  readonly policy?: number | undefined
  readonly userdata?: Buffer | undefined
  readonly rules: readonly FakeRule[]
}

/** An element of the fake: its attributes. */
export type FakeElement = ReadonlyMap<number, Buffer>

/** A set of the fake: its attributes as in dumps, and its elements by key. */
export interface FakeSet {
  readonly name: string
  readonly id?: number | undefined
  readonly handle: bigint
  readonly flags: number
  readonly attributes: ReadonlyMap<number, Buffer>
  readonly elements: ReadonlyMap<string, FakeElement>
}

/** A table of the fake. */
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

/** All tables by family and name. Never changed in place, so that a failed transaction has no effect. */
export type FakeState = ReadonlyMap<string, FakeTable>

/** A message that changes something. */
export interface FakeMessage {
  /** nf_tables number of the message. */
  readonly message: number
  readonly flags: number
  readonly body: Buffer
  readonly attributes: ReadonlyMap<number, Buffer>
}

/** Key of a table in the state. */
export const keyOf = (family: number, name: string) => `${family} ${name}`

/** Copy of a map with an entry added or replaced. */
export function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map([...map, [key, value]])
}

/** Copy of a map without an entry. */
export function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  return new Map([...map].filter(([each]) => each !== key))
}

/** The chain that an expression jumps to. */
export function jumpOf(expression: Expression): string | undefined {
  return expression.name === 'immediate' && 'chain' in expression.data ? expression.data.chain : undefined
}

/** Number of rules that jump to a chain. Elements of verdict maps are not counted. */
export function jumpsTo(table: FakeTable, chain: string): number {
  return allExpressions(table).filter((each) => jumpOf(each) === chain).length
}

/** Number of rules that look up a set. */
export function lookupsOf(table: FakeTable, set: string): number {
  return allExpressions(table).filter((each) => each.name === 'lookup' && each.set === set).length
}

function allExpressions(table: FakeTable): Expression[] {
  return [...table.chains.values()].flatMap(({ rules }) => rules.flatMap(({ expressions }) => expressions))
}
