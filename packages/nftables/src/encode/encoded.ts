import type { Expression } from '../wire/expressions/expression-types.ts'
import type { ElementSpec, SetFlag } from '../wire/specs.ts'

/** Netlink expressions of a rule, with the rule's anonymous sets. */
export interface Encoded {
  /** Expressions of the rule. The `setId` of a `lookup` is an index in `sets`. */
  readonly expressions: readonly Expression[]
  readonly sets: readonly EncodedSet[]
}

/** Set or map in the form of a netlink message, without its table and name. */
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

/** Properties of a table that are needed to encode its rules. */
export interface EncodeContext {
  readonly family: 'inet' | 'ip' | 'ip6' | 'arp' | 'bridge' | 'netdev'
  isInterval(set: string): boolean
}

/** Collects the expressions and anonymous sets of a rule during encoding. */
export interface Sink {
  readonly expressions: Expression[]
  readonly sets: EncodedSet[]
  readonly context: EncodeContext
}

/** Freezes an expression that many rules share. The encoder caches the bytes of frozen expressions. */
export const expression = <const E extends Expression>(value: E): Readonly<E> => Object.freeze(value)
