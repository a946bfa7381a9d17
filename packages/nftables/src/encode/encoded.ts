import type { Expression } from '../wire/expressions/expression-types.ts'
import type { ElementSpec, SetFlag } from '../wire/specs.ts'

/** A rule as netlink messages take it. */
export interface Encoded {
  /** A `lookup` of an anonymous set has the index in `sets` as its `setId`. */
  readonly expressions: readonly Expression[]
  readonly sets: readonly EncodedSet[]
}

/** A set or a map, without table and name. */
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

/** Facts about a table that the encoding of its rules needs: the family, and the sets whose keys may be ranges. */
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
