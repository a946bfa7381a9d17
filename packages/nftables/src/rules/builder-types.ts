import type { Hook } from '../wire/family.ts'
import type { BaseChain } from '../wire/specs.ts'
import type { ActionSteps, NatSteps, PostroutingSteps, RedirectSteps, SnatSteps, TproxySteps } from './action-types.ts'
import type { Ipv4Matches, Ipv6Matches, Matches } from './match-types.ts'
import type { Rule } from './model.ts'
import type { BasePart, ChainPart, Part, SetPart } from './parts.ts'
import type { SetType } from './values.ts'

/** Families of rulesets. */
export type RulesetFamily = 'inet' | 'ip' | 'ip6'

/** What a table consists of: chains and sets by their names. */
export type TableParts = { readonly [name: string]: Part }

/** The tables of a ruleset by their names. */
export type TablesSpec = { readonly [table: string]: TableParts }

/** A rule, and where it belongs. */
export interface Placed {
  readonly table: string
  readonly chain: string
  readonly rule: Rule
}

/** A rule that has ended; a comment may follow. */
export interface Ended extends Placed {
  /** What `nft list` prints behind the rule; at most 253 bytes. */
  comment(text: string): Ended
}

/** Where a rule stands, and whether it has named a protocol that has ports. */
export interface Context {
  readonly family: RulesetFamily
  readonly parts: TableParts
  readonly chain: string
  readonly protocol: boolean
}

/** A rule under construction; every step returns a new one, and each is a rule. It offers what the kernel takes there. */
export type RuleBuilder<X extends Context> = Placed &
  Matches<X> &
  (X['family'] extends 'ip6' ? unknown : Ipv4Matches<X>) &
  (X['family'] extends 'ip' ? unknown : Ipv6Matches<X>) &
  ActionSteps<X> &
  At<HooksOf<X, 'nat'>, 'prerouting' | 'output', RedirectSteps<X> & NatSteps<X>> &
  At<HooksOf<X, 'nat'>, 'postrouting', PostroutingSteps<X>> &
  At<HooksOf<X, 'nat'>, 'postrouting' | 'input', SnatSteps<X>> &
  (X['protocol'] extends true ? At<HooksOf<X, 'filter'>, 'prerouting', TproxySteps<X>> : unknown)

/** The same after a protocol was named. */
export type Spoken<X extends Context> = RuleBuilder<{
  readonly family: X['family']
  readonly parts: X['parts']
  readonly chain: X['chain']
  readonly protocol: true
}>

/** Starts the rules of one table. */
export interface TableBuilder<F extends RulesetFamily, T extends TableParts> {
  /** A rule at the end of a chain. */
  on<const C extends ChainsOf<T>>(
    chain: C,
  ): RuleBuilder<{ readonly family: F; readonly parts: T; readonly chain: C; readonly protocol: false }>
}

/** One table builder per declared table. */
export type Builders<F extends RulesetFamily, Spec extends TablesSpec> = {
  readonly [T in keyof Spec]: TableBuilder<F, Spec[T]>
}

/** The chains of a table. */
export type ChainsOf<T extends TableParts> = NamesOf<T, BasePart | ChainPart>

/** The chains that can be jumped to. */
export type OwnChainsOf<T extends TableParts> = NamesOf<T, ChainPart>

/** The sets whose keys are of a type. */
export type SetsOf<T extends TableParts, Key extends SetType> = NamesOf<T, SetPart<Key, undefined>>

/** The maps from a type to verdicts. */
export type VmapsOf<T extends TableParts, Key extends SetType> = NamesOf<T, SetPart<Key, 'verdict'>>

// internal

/** Those that are such a part; where that is not known all. */
type NamesOf<T extends TableParts, P> = {
  [K in keyof T & string]: [Extract<T[K], P>] extends [never] ? (Part extends T[K] ? K : never) : K
}[keyof T & string]

/** The hooks of a type of base chain from which a rule may be reached. */
type HooksOf<X extends Context, Type extends BaseChain['type']> = HookOf<BasesOf<X>, Type>

type HookOf<P, Type> = P extends BasePart<infer Given, infer H> ? (Type extends Given ? H : never) : never

/** The base chain that it is in, or those of its table. */
type BasesOf<X extends Context> = X['parts'][X['chain']] extends BasePart
  ? X['parts'][X['chain']]
  : X['parts'][keyof X['parts']]

type At<Found extends Hook, Wanted extends Hook, Steps> = [Found & Wanted] extends [never] ? unknown : Steps
