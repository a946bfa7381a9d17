import type { BuiltinChain, Family, Table } from '../model.ts'
import type {
  IcmpMatches,
  Icmpv6Matches,
  IncomingMatches,
  NegatableMatches,
  OutgoingMatches,
  OwnerMatches,
  Rate,
} from './match-types.ts'
import type { At, Scope } from './scope.ts'
import type { CommonTargets, TableTargets } from './target-types.ts'

/** The tables a ruleset uses and the chains it owns in each. A table with `[]` owns none. */
export type TableSpec = { readonly [T in Table]?: readonly string[] }

/**
 * A rule under construction in chain `C`; every step returns a new one, a target ends it. It offers what the kernel
 * takes in that table, chain and family. `P` is true once the rule has named its protocol.
 */
export type RuleBuilder<
  T extends Table,
  Own extends string,
  S extends Scope = 'both',
  C extends string = string,
  P extends boolean = boolean,
> = RuleSteps<T, Own, S, C, P> &
  ChainSteps<T, Own, S, C, P> &
  FamilySteps<T, Own, S, C, P> &
  CommonTargets<Own, S> &
  TableTargets<T, S, C, P>

/** The steps of a rule that stand in every chain. */
export interface RuleSteps<T extends Table, Own extends string, S extends Scope, C extends string, P extends boolean>
  extends NegatableMatches<RuleBuilder<T, Own, S, C, P>, S, RuleBuilder<T, Own, S, C, true>> {
  /** Negates the next condition. */
  readonly not: NegatableMatches<RuleBuilder<T, Own, S, C, P>, S> &
    ChainSteps<T, Own, S, C, P, 'not'> &
    FamilySteps<T, Own, S, C, P>
  /** Restricts the rule to one family; bare addresses are possible after it. */
  only<F extends S extends 'both' ? Family : S>(family: F): RuleBuilder<T, Own, F, C, P>
  /** `-m comment --comment`. */
  comment(text: string): RuleBuilder<T, Own, S, C, P>
  /** `-m limit`: at most so often, after a burst (default 5). */
  limit(rate: Rate, burst?: number): RuleBuilder<T, Own, S, C, P>
  /** Conditions that this package does not model, as tokens: `.raw('-m', 'length', '--length', '100:200')`. */
  raw(...tokens: readonly string[]): RuleBuilder<T, Own, S, C, P>
}

/** Starts the rules of one table. */
export interface TableBuilder<T extends Table, Own extends string> {
  /** A rule at the end of a chain. */
  on<const C extends string>(chain: ChainOf<T, Own, C>): RuleBuilder<T, Own, 'both', C, false>
  /** A rule at `position` (default 1) of a chain, counted when the rule is written. */
  insert<const C extends string>(chain: ChainOf<T, Own, C>, position?: number): RuleBuilder<T, Own, 'both', C, false>
}

/** One table builder per declared table. */
export type Builders<Spec extends TableSpec> = {
  readonly [T in keyof Spec & Table]: TableBuilder<
    T,
    Spec[T] extends readonly (infer Own extends string)[] ? Own : never
  >
}

// internal

/** The chain that was given, or those that are possible. Unlike a bound of `C`, it lets a table be chosen at run time. */
type ChainOf<T extends Table, Own extends string, C extends string> = C extends BuiltinChain<T> | Own
  ? C
  : BuiltinChain<T> | Own

/** The steps that some chains only have. */
type ChainSteps<
  T extends Table,
  Own extends string,
  S extends Scope,
  C extends string,
  P extends boolean,
  Not = '',
> = At<C, 'PREROUTING' | 'INPUT' | 'FORWARD', IncomingSteps<T, Own, S, C, P>> &
  At<C, 'FORWARD' | 'OUTPUT' | 'POSTROUTING', OutgoingSteps<T, Own, S, C, P>> &
  At<C, 'OUTPUT' | 'POSTROUTING', OwnerSteps<T, Own, S, C, P>> &
  (Not extends 'not' ? unknown : At<C, 'PREROUTING' | 'INPUT', SocketSteps<T, Own, S, C, P>>)

// Two conditions: TypeScript can tell that a class has both branches of such a one only.
type FamilySteps<
  T extends Table,
  Own extends string,
  S extends Scope,
  C extends string,
  P extends boolean,
> = (S extends 'ipv4' ? Ipv4Steps<T, Own, C, P> : unknown) & (S extends 'ipv6' ? Ipv6Steps<T, Own, C, P> : unknown)

// Interfaces, because only they may name the builder that they are part of.
interface IncomingSteps<T extends Table, Own extends string, S extends Scope, C extends string, P extends boolean>
  extends IncomingMatches<RuleBuilder<T, Own, S, C, P>> {}
interface OutgoingSteps<T extends Table, Own extends string, S extends Scope, C extends string, P extends boolean>
  extends OutgoingMatches<RuleBuilder<T, Own, S, C, P>> {}
interface OwnerSteps<T extends Table, Own extends string, S extends Scope, C extends string, P extends boolean>
  extends OwnerMatches<RuleBuilder<T, Own, S, C, P>> {}
interface Ipv4Steps<T extends Table, Own extends string, C extends string, P extends boolean>
  extends IcmpMatches<RuleBuilder<T, Own, 'ipv4', C, P>> {}
interface Ipv6Steps<T extends Table, Own extends string, C extends string, P extends boolean>
  extends Icmpv6Matches<RuleBuilder<T, Own, 'ipv6', C, P>> {}
export interface SocketSteps<
  T extends Table,
  Own extends string,
  S extends Scope,
  C extends string,
  P extends boolean,
> {
  /** `-m socket`: the packet belongs to an open local socket. */
  socket(options?: {
    /** It is transparent (`IP_TRANSPARENT`). */
    readonly transparent?: boolean
    /** A socket bound to the wildcard address counts, too. */
    readonly nowildcard?: boolean
    /** The packet gets the socket's mark. */
    readonly restoreSkmark?: boolean
  }): RuleBuilder<T, Own, S, C, P>
}
