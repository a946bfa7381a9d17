import type { BuiltinChain, Family, Table } from '../model.ts'
import type { RuleWords } from '../rule-words.ts'
import type { Conditions } from './match-types.ts'
import type { Refused } from './scope.ts'
import type { Targets } from './target-types.ts'

/** Tables of a ruleset, each with its user-defined chains. `[]` means a table without user-defined chains. */
export type TableSpec = { readonly [T in Table]?: readonly string[] }

/** Functions that begin a rule, for each table that the ruleset declares. */
export type Builders<Spec extends TableSpec> = {
  readonly [T in keyof Spec & Table]: {
    /** Begins a rule that is written at the end of a chain. */
    on<const C extends string>(
      chain: ChainOf<T, NonNullable<Spec[T]>[number], C>,
    ): RuleBuilder<T, NonNullable<Spec[T]>[number], 'both', C, false>
    /** Begins a rule to insert at `position` (default 1) of a chain. Later writes to the chain may move the rule. */
    insert<const C extends string>(
      chain: ChainOf<T, NonNullable<Spec[T]>[number], C>,
      position?: number,
    ): RuleBuilder<T, NonNullable<Spec[T]>[number], 'both', C, false>
  }
}

/**
 * Builder of one rule in chain `C`. Every step returns a new builder, and a target ends the rule. Offers only steps
 * that the kernel accepts. `P` is true after `proto`.
 */
export type RuleBuilder<
  T extends Table,
  Own extends string,
  S extends Family | 'both' = 'both',
  C extends string = string,
  P extends boolean = boolean,
> = Pick<Steps<T, Own, S, C, P>, Exclude<StepName, Refused<T, S, C>>>

// internal

/** Type of a chain name. For an invalid name, the compiler's error lists valid names. */
type ChainOf<T extends Table, Own extends string, C extends string> = C extends BuiltinChain<T> | Own
  ? C
  : BuiltinChain<T> | Own

/** Method names of a rule builder. `keyof Steps` would be circular. */
type StepName =
  | keyof Conditions<unknown, 'both'>
  | keyof Targets<string, 'both', boolean>
  | 'not'
  | 'only'
  | 'comment'
  | 'limit'
  | 'socket'
  | 'raw'

/** Methods of a rule builder. A type alias instead of this interface would be circular. */
interface Steps<T extends Table, Own extends string, S extends Family | 'both', C extends string, P extends boolean>
  extends Conditions<RuleBuilder<T, Own, S, C, P>, S, RuleBuilder<T, Own, S, C, true>>,
    Targets<Own, S, P> {
  /** Negates the condition that the next method call adds to the rule. */
  readonly not: Pick<
    Conditions<RuleBuilder<T, Own, S, C, P>, S>,
    Exclude<keyof Conditions<unknown, 'both'>, Refused<T, S, C>>
  >
  /** Restricts the rule to IPv4 or IPv6. Afterwards, conditions and targets accept a single address. */
  only<F extends S extends 'both' ? Family : S>(family: F): { [One in Family]: RuleBuilder<T, Own, One, C, P> }[F]
  /** Adds a comment to the rule: `-m comment --comment`. */
  comment(text: string): RuleBuilder<T, Own, S, C, P>
  /** `-m limit`: matches packets up to this rate, after a burst of packets (default 5). */
  limit(rate: RuleWords['rate'], burst?: number): RuleBuilder<T, Own, S, C, P>
  /** `-m socket`: the packet belongs to an open local socket. */
  socket(options?: {
    /** Condition of the socket match: true if the socket must be transparent (`IP_TRANSPARENT`). */
    readonly transparent?: boolean
    /** Option of the socket match: true if a socket that is bound to the wildcard address also matches. */
    readonly nowildcard?: boolean
    /** Option of the socket match: true to copy the socket's mark to the packet. */
    readonly restoreSkmark?: boolean
  }): RuleBuilder<T, Own, S, C, P>
  /**
   * Adds a match that this package does not model, as iptables tokens: `.raw('-m', 'length', '--length', '100:200')`.
   */
  raw(...tokens: readonly string[]): RuleBuilder<T, Own, S, C, P>
}
