import type { BuiltinChain, Family, Table } from '../model.ts'
import type { RuleWords } from '../rule-words.ts'
import type { Conditions } from './match-types.ts'
import type { Refused } from './scope.ts'
import type { Targets } from './target-types.ts'

/** The tables a ruleset uses and the chains it owns in each. A table with `[]` owns none. */
export type TableSpec = { readonly [T in Table]?: readonly string[] }

/** Starts the rules of each declared table. */
export type Builders<Spec extends TableSpec> = {
  readonly [T in keyof Spec & Table]: {
    /** A rule at the end of a chain. */
    on<const C extends string>(
      chain: ChainOf<T, NonNullable<Spec[T]>[number], C>,
    ): RuleBuilder<T, NonNullable<Spec[T]>[number], 'both', C, false>
    /** A rule at `position` (default 1) of a chain, counted when the rule is written. */
    insert<const C extends string>(
      chain: ChainOf<T, NonNullable<Spec[T]>[number], C>,
      position?: number,
    ): RuleBuilder<T, NonNullable<Spec[T]>[number], 'both', C, false>
  }
}

/**
 * A rule under construction in chain `C`; every step returns a new one, a target ends it. It offers what the kernel
 * takes in that table, chain and family. `P` is true once the rule has named its protocol.
 */
export type RuleBuilder<
  T extends Table,
  Own extends string,
  S extends Family | 'both' = 'both',
  C extends string = string,
  P extends boolean = boolean,
> = Pick<Steps<T, Own, S, C, P>, Exclude<StepName, Refused<T, S, C>>>

// internal

/** The chain that was given, or those that are possible. Unlike a bound of `C`, it lets a table be chosen at run time. */
type ChainOf<T extends Table, Own extends string, C extends string> = C extends BuiltinChain<T> | Own
  ? C
  : BuiltinChain<T> | Own

/** Names of the steps; `keyof Steps` would need the builder, and the builder needs them. */
type StepName =
  | keyof Conditions<unknown, 'both'>
  | keyof Targets<string, 'both', boolean>
  | 'not'
  | 'only'
  | 'comment'
  | 'limit'
  | 'socket'
  | 'raw'

/** Every step of a rule. It is an interface, because only an interface may name the builder that it is part of. */
interface Steps<T extends Table, Own extends string, S extends Family | 'both', C extends string, P extends boolean>
  extends Conditions<RuleBuilder<T, Own, S, C, P>, S, RuleBuilder<T, Own, S, C, true>>,
    Targets<Own, S, P> {
  /** Negates the next condition. */
  readonly not: Pick<
    Conditions<RuleBuilder<T, Own, S, C, P>, S>,
    Exclude<keyof Conditions<unknown, 'both'>, Refused<T, S, C>>
  >
  /** Restricts the rule to one family; bare addresses are possible after it. */
  only<F extends S extends 'both' ? Family : S>(family: F): { [One in Family]: RuleBuilder<T, Own, One, C, P> }[F]
  /** `-m comment --comment`. */
  comment(text: string): RuleBuilder<T, Own, S, C, P>
  /** `-m limit`: at most so often, after a burst (default 5). */
  limit(rate: RuleWords['rate'], burst?: number): RuleBuilder<T, Own, S, C, P>
  /** `-m socket`: the packet belongs to an open local socket. */
  socket(options?: {
    /** It is transparent (`IP_TRANSPARENT`). */
    readonly transparent?: boolean
    /** A socket bound to the wildcard address counts, too. */
    readonly nowildcard?: boolean
    /** The packet gets the socket's mark. */
    readonly restoreSkmark?: boolean
  }): RuleBuilder<T, Own, S, C, P>
  /** Conditions that this package does not model, as tokens: `.raw('-m', 'length', '--length', '100:200')`. */
  raw(...tokens: readonly string[]): RuleBuilder<T, Own, S, C, P>
}
