import type { BuiltinChain, Family, Table } from '../model.ts'
import type { RuleWords } from '../rule-words.ts'
import type { Conditions } from './match-types.ts'
import type { Refused } from './scope.ts'
import type { Targets } from './target-types.ts'

/** Tables that a ruleset uses, with the own chains of each. `[]` means a table without own chains. */
export type TableSpec = { readonly [T in Table]?: readonly string[] }

/** Begins the rules of each declared table. */
export type Builders<Spec extends TableSpec> = {
  readonly [T in keyof Spec & Table]: {
    /** Begins a rule at the end of a chain. */
    on<const C extends string>(
      chain: ChainOf<T, NonNullable<Spec[T]>[number], C>,
    ): RuleBuilder<T, NonNullable<Spec[T]>[number], 'both', C, false>
    /**
     * Begins a rule at `position` (default 1) of a chain. Later writes may move the rule: the position counts only
     * while it is written.
     */
    insert<const C extends string>(
      chain: ChainOf<T, NonNullable<Spec[T]>[number], C>,
      position?: number,
    ): RuleBuilder<T, NonNullable<Spec[T]>[number], 'both', C, false>
  }
}

/**
 * Rule under construction in chain `C`. Every step returns a new builder; a target ends the rule. The builder has only
 * steps that the kernel accepts in this table, chain and family. `P` is true after `proto`.
 */
export type RuleBuilder<
  T extends Table,
  Own extends string,
  S extends Family | 'both' = 'both',
  C extends string = string,
  P extends boolean = boolean,
> = Pick<Steps<T, Own, S, C, P>, Exclude<StepName, Refused<T, S, C>>>

// internal

/**
 * The given chain name, or the possible names if it is invalid. Unlike a bound of `C`, this type allows a table chosen
 * at run time.
 */
type ChainOf<T extends Table, Own extends string, C extends string> = C extends BuiltinChain<T> | Own
  ? C
  : BuiltinChain<T> | Own

/** Names of the steps. `keyof Steps` would be circular: the steps refer to the builder. */
type StepName =
  | keyof Conditions<unknown, 'both'>
  | keyof Targets<string, 'both', boolean>
  | 'not'
  | 'only'
  | 'comment'
  | 'limit'
  | 'socket'
  | 'raw'

/** Steps of a rule. This is an interface, because a type alias cannot refer to the builder that contains it. */
interface Steps<T extends Table, Own extends string, S extends Family | 'both', C extends string, P extends boolean>
  extends Conditions<RuleBuilder<T, Own, S, C, P>, S, RuleBuilder<T, Own, S, C, true>>,
    Targets<Own, S, P> {
  /** Negates the next condition. */
  readonly not: Pick<
    Conditions<RuleBuilder<T, Own, S, C, P>, S>,
    Exclude<keyof Conditions<unknown, 'both'>, Refused<T, S, C>>
  >
  /** Restricts the rule to one family. After this step, conditions and targets accept a single address. */
  only<F extends S extends 'both' ? Family : S>(family: F): { [One in Family]: RuleBuilder<T, Own, One, C, P> }[F]
  /** `-m comment --comment`. */
  comment(text: string): RuleBuilder<T, Own, S, C, P>
  /** `-m limit`: matches at most at this rate, after a burst (default 5). */
  limit(rate: RuleWords['rate'], burst?: number): RuleBuilder<T, Own, S, C, P>
  /** `-m socket`: the packet belongs to an open local socket. */
  socket(options?: {
    /** True if the socket must be transparent (`IP_TRANSPARENT`). */
    readonly transparent?: boolean
    /** True if a socket bound to the wildcard address counts. */
    readonly nowildcard?: boolean
    /** True to copy the socket's mark to the packet. */
    readonly restoreSkmark?: boolean
  }): RuleBuilder<T, Own, S, C, P>
  /** Conditions that this package does not model, as tokens: `.raw('-m', 'length', '--length', '100:200')`. */
  raw(...tokens: readonly string[]): RuleBuilder<T, Own, S, C, P>
}
