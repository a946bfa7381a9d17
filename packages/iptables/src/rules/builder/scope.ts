import type { AddressPair, BuiltinChain, Family } from '../model.ts'

/** The families a rule under construction stands in. */
export type Scope = 'both' | Family

/** A bare address is only possible once the rule stands in a single family. */
export type AddressOf<S extends Scope> = S extends 'both' ? AddressPair : string | AddressPair

/**
 * `Members` if a rule of chain `C` may be reached from the hooks `H` only; nothing otherwise. Own chains always may:
 * where they are called from is known at run time.
 */
export type At<C extends string, H extends BuiltinChain, Members> = [Extract<C, BuiltinChain>] extends [H]
  ? Members
  : unknown
