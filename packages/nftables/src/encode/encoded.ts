import type { Expression } from '../wire/expressions/expression-types.ts'
import type { ElementSpec, SetFlag } from '../wire/specs.ts'

/** A rule as the wire takes it. */
export interface Encoded {
  /** A `lookup` of an anonymous set has as `setId` its place in `sets`. */
  readonly expressions: readonly Expression[]
  readonly sets: readonly EncodedSet[]
}

/** A set or a map, but for its table and its name. */
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

/** What rules of a table refer to: whether the keys of a named set may be ranges. */
export interface EncodeContext {
  readonly family: 'inet' | 'ip' | 'ip6' | 'arp' | 'bridge' | 'netdev'
  isInterval(set: string): boolean
}

/** A rule as it is put together. */
export interface Sink {
  readonly expressions: Expression[]
  readonly sets: EncodedSet[]
  readonly context: EncodeContext
}

/** Frozen, so that the wire encodes it once. */
export const expression = <const E extends Expression>(value: E): Readonly<E> => Object.freeze(value)
