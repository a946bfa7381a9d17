import type { Expression } from '../wire/expressions/expression-types.ts'

/** A rule of the fake. */
export interface FakeRule {
  readonly handle: bigint
  /** Of the batch that adds it; forgotten with the commit. */
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

/** A set of the fake: its attributes, as they are told, and its elements by key. */
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

/** Everything, by family and name; never changed in place, so that a transaction that fails leaves nothing. */
export type FakeState = ReadonlyMap<string, FakeTable>

/** A message that changes something. */
export interface FakeMessage {
  /** Which of nf_tables. */
  readonly message: number
  readonly flags: number
  readonly body: Buffer
  readonly attributes: ReadonlyMap<number, Buffer>
}

/** Under which a table is found. */
export const keyOf = (family: number, name: string) => `${family} ${name}`

/** A copy with something put in; at its place, if it was there. */
export function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map([...map, [key, value]])
}

/** A copy without something. */
export function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  return new Map([...map].filter(([each]) => each !== key))
}

/** The chain that an expression jumps to. */
export function jumpOf(expression: Expression): string | undefined {
  return expression.name === 'immediate' && 'chain' in expression.data ? expression.data.chain : undefined
}

/** How many rules, and elements of verdict maps are not counted, jump to a chain. */
export function jumpsTo(table: FakeTable, chain: string): number {
  return allExpressions(table).filter((each) => jumpOf(each) === chain).length
}

/** How many rules look into a set. */
export function lookupsOf(table: FakeTable, set: string): number {
  return allExpressions(table).filter((each) => each.name === 'lookup' && each.set === set).length
}

function allExpressions(table: FakeTable): Expression[] {
  return [...table.chains.values()].flatMap(({ rules }) => rules.flatMap(({ expressions }) => expressions))
}
