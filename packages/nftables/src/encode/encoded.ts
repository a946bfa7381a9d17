import type { Expression } from '../wire/expressions/expression-types.ts'
import type { ElementSpec, SetFlag } from '../wire/specs.ts'

/** A rule, encoded for netlink messages. */
export interface Encoded {
  /** A `lookup` of an anonymous set has the index in `sets` as its `setId`. */
  readonly expressions: readonly Expression[]
  readonly sets: readonly EncodedSet[]
}

/** An encoded set or map, without its table and name. */
export interface EncodedSet {
  readonly flags: readonly SetFlag[]
  readonly keyType: number
  readonly keyLength: number
  readonly dataType?: number | 'verdict'
  readonly dataLength?: number
  readonly size?: number
  readonly concat?: readonly number[]
  readonly timeout?: bigint
  readonly userdata: Uint8Array
  readonly elements: readonly ElementSpec[]
}

/** Facts about a table that are needed to encode its rules: the family, and the sets whose keys can be ranges. */
export interface EncodeContext {
  readonly family: 'inet' | 'ip' | 'ip6' | 'arp' | 'bridge' | 'netdev'
  isInterval(set: string): boolean
}

/** Collects the expressions and anonymous sets of a rule while it is encoded. */
export interface Sink {
  readonly expressions: Expression[]
  readonly sets: EncodedSet[]
  readonly context: EncodeContext
}

/** Freezes a constant expression, so that it is encoded only once. */
export const expression = <const E extends Expression>(value: E): Readonly<E> => Object.freeze(value)
