import type { Expression } from './expressions/expression-types.ts'
import type { Family } from './family.ts'
import type { Verdict } from './fields/verdict.ts'

/** A table by its name. Names are at most 255 bytes, otherwise whatever text. */
export interface TableName {
  readonly family: Family
  readonly table: string
}

/** A chain by its name. */
export interface ChainName extends TableName {
  readonly chain: string
}

/** Where packets enter a base chain. */
export interface BaseChain {
  readonly type: 'filter' | 'nat' | 'route'
  readonly hook: 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting' | 'ingress' | 'egress'
  /** Lower ones see a packet first; `nat` from -200 on is refused. */
  readonly priority: number
  /** Of `netdev`, and of the hook `ingress`: the interface. */
  readonly device?: string | undefined
}

/** A rule to add. */
export interface RuleSpec extends ChainName {
  /** Or as bytes: those of {@link encodeExpressions}, or of a rule that was read. */
  readonly expressions: readonly Expression[] | Uint8Array
  /**
   * What xt modules are told of the rule they stand in: the protocol it is about (0: any), and whether that is negated. The
   * kernel does not give it back.
   */
  readonly compat?: { readonly protocol: number; readonly inverted: boolean } | undefined
  /** For other rules of the batch to be placed by. */
  readonly id?: number | undefined
  /** A handle is that of a rule of the chain, an id that of a rule of the same batch. Default `last`. */
  readonly place?:
    | 'last'
    | 'first'
    | { readonly before: bigint }
    | { readonly after: bigint }
    | { readonly beforeId: number }
    | { readonly afterId: number }
    | undefined
  /** What `nft list` prints as the comment. */
  readonly comment?: string | undefined
  /** Instead of a comment: all notes as libnftnl writes them, each a type, a length and as many bytes. */
  readonly userdata?: Uint8Array | undefined
}

/** A set by its name. */
export interface SetName extends TableName {
  readonly set: string
  /** Of a set which the same batch makes, for one that has no name yet. */
  readonly setId?: number | undefined
}

/** A set, or a map, to add. An anonymous one is called `__set%d` and found by its id; it goes with its rule. */
export interface SetSpec extends SetName, Pick<RuleSpec, 'comment' | 'userdata'> {
  /** `concat` is added by the kernel's needs: intervals of concatenated keys. */
  readonly flags?:
    | readonly (
        | 'anonymous'
        | 'constant'
        | 'interval'
        | 'map'
        | 'timeout'
        | 'dynamic'
        | 'object'
        | 'concat'
        | 'expression'
      )[]
    | undefined
  /** nft's number for what keys are (7 IPv4 address, 8 IPv6, 13 port …); of concatenations six bits each. */
  readonly keyType: number
  /** Bytes of a key; each part of a concatenation is padded to four. */
  readonly keyLength: number
  /** Of a map: nft's number for what is found, or `verdict`. */
  readonly dataType?: number | 'verdict' | undefined
  readonly dataLength?: number | undefined
  /** How many elements are to be expected, or allowed. */
  readonly size?: number | undefined
  /** Bytes of each part of a concatenation with intervals. */
  readonly concat?: readonly number[] | undefined
  /** Milliseconds that an element stays. */
  readonly timeout?: bigint | undefined
}

/** An element of a set: a key, an interval of keys, or a mapping. */
export interface ElementSpec extends Pick<RuleSpec, 'comment' | 'userdata'> {
  /** Network order. */
  readonly key?: Uint8Array | undefined
  /** The last key of an interval, in a set of concatenations. */
  readonly keyEnd?: Uint8Array | undefined
  /** What a map maps it to. */
  readonly data?: Uint8Array | Verdict | undefined
  /**
   * `intervalEnd`: the first key behind the interval which the element before this one begins, in a set of intervals that
   * is none of concatenations. `catchAll`: it is found when no other is, and has no key.
   */
  readonly flags?: readonly ('intervalEnd' | 'catchAll')[] | undefined
  /** Milliseconds. */
  readonly timeout?: bigint | undefined
}

export type Compat = NonNullable<RuleSpec['compat']>
export type SetFlag = NonNullable<SetSpec['flags']>[number]
export type ElementFlag = NonNullable<ElementSpec['flags']>[number]
