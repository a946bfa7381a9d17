import type { Hook } from '../../wire/family.ts'
import type { BaseChain } from '../../wire/specs.ts'
import type { ActionSteps, NatSteps, PostroutingSteps, RedirectSteps, SnatSteps, TproxySteps } from './action-types.ts'
import type { ChainsOf, Context, Placed, RulesetFamily, TableParts, TablesSpec } from './context.ts'
import type { Ipv4Matches, Ipv6Matches, Matches } from './match-types.ts'
import type { BasePart } from './parts.ts'

/** A rule under construction; every step returns a new one, and each is a rule. It offers what the kernel takes there. */
export type RuleBuilder<X extends Context> = Placed &
  CommonMatches<X> &
  (X['family'] extends 'ip6' ? unknown : Matches4<X>) &
  (X['family'] extends 'ip' ? unknown : Matches6<X>) &
  Actions<X> &
  At<HooksOf<X, 'nat'>, 'prerouting' | 'output', RedirectSteps<X> & NatSteps<X>> &
  At<HooksOf<X, 'nat'>, 'postrouting', PostroutingSteps<X>> &
  At<HooksOf<X, 'nat'>, 'postrouting' | 'input', SnatSteps<X>> &
  At<HooksOf<X, 'filter'>, 'prerouting', Tproxies<X>>

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

// internal

// Interfaces, because only they may name the builder that they are part of.
interface CommonMatches<X extends Context> extends Matches<X, RuleBuilder<X>, Spoken<X>> {}
interface Matches4<X extends Context> extends Ipv4Matches<X, RuleBuilder<X>, Spoken<X>> {}
interface Matches6<X extends Context> extends Ipv6Matches<X, RuleBuilder<X>, Spoken<X>> {}
interface Actions<X extends Context> extends ActionSteps<X, RuleBuilder<X>> {}
interface Tproxies<X extends Context> extends TproxySteps<X, RuleBuilder<X>> {}

/** The hooks of a type of base chain from which a rule may be reached. */
type HooksOf<X extends Context, Type extends BaseChain['type']> = HookOf<BasesOf<X>, Type>

type HookOf<P, Type> = P extends BasePart<infer Given, infer H> ? (Type extends Given ? H : never) : never

/** The base chain that it is in, or those of its table. */
type BasesOf<X extends Context> = X['parts'][X['chain']] extends BasePart
  ? X['parts'][X['chain']]
  : X['parts'][keyof X['parts']]

type At<Found extends Hook, Wanted extends Hook, Steps> = [Found & Wanted] extends [never] ? unknown : Steps
