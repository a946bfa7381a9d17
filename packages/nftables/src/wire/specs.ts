import type { Expression } from './expressions/expression-types.ts'
import type { Family } from './family.ts'
import type { Verdict } from './fields/verdict.ts'

/** A table by name. Names are any text of at most 255 bytes. */
export interface TableName {
  readonly family: Family
  readonly table: string
}

/** A chain by its name. */
export interface ChainName extends TableName {
  readonly chain: string
}

/** Type, hook and priority of a base chain. */
export interface BaseChain {
  readonly type: 'filter' | 'nat' | 'route'
  readonly hook: 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting' | 'ingress' | 'egress'
  /** Chains with a lower number see a packet first. The kernel refuses `nat` at -200 and below. */
  readonly priority: number
  /** Network interface whose packets the chain sees. For the family `netdev` and for the hook `ingress`. */
  readonly device?: string | undefined
}

/** A rule to add. */
export interface RuleSpec extends ChainName {
  /** Expressions, or their bytes: from {@link encodeExpressions}, or from a rule that was read. */
  readonly expressions: readonly Expression[] | Uint8Array
  /**
   * Information for xt modules about their rule: the protocol of the rule (0: any), and if the protocol is negated. The
   * kernel does not report it.
   */
  readonly compat?: { readonly protocol: number; readonly inverted: boolean } | undefined
  /** Id by which other rules of the batch refer to this rule. */
  readonly id?: number | undefined
  /**
   * Position of the rule in its chain. A handle refers to a rule of the chain, an id to a rule of the same batch.
   * Default: `last`.
   */
  readonly place?:
    | 'last'
    | 'first'
    | { readonly before: bigint }
    | { readonly after: bigint }
    | { readonly beforeId: number }
    | { readonly afterId: number }
    | undefined
  /** Comment of the rule, which `nft list` prints. */
  readonly comment?: string | undefined
  /** User data, instead of a comment: entries as libnftnl writes them, each with a type, a length and the value. */
  readonly userdata?: Uint8Array | undefined
}

/** A set by its name. */
export interface SetName extends TableName {
  readonly set: string
  /** Id of a set of the same batch, if the kernel has not named the set yet. */
  readonly setId?: number | undefined
}

/**
 * A set or a map to add. An anonymous set has the name `__set%d` and is found by its id. The kernel deletes it with its
 * rule.
 */
export interface SetSpec extends SetName, Pick<RuleSpec, 'comment' | 'userdata'> {
  /** The kernel requires `concat` for intervals of concatenated keys. */
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
  /**
   * nft's number of the key type (7 IPv4 address, 8 IPv6 address, 13 port …). A concatenation has six bits for each
   * part.
   */
  readonly keyType: number
  /** Length of a key in bytes. Each part of a concatenation is padded to four bytes. */
  readonly keyLength: number
  /** nft's number of the type of a map's data, or `verdict`. */
  readonly dataType?: number | 'verdict' | undefined
  readonly dataLength?: number | undefined
  /** Expected or maximum number of elements. */
  readonly size?: number | undefined
  /** Length in bytes of each part of a concatenation with intervals. */
  readonly concat?: readonly number[] | undefined
  /** Time until an element expires, in milliseconds. */
  readonly timeout?: bigint | undefined
}

/** An element of a set: a key, an interval of keys, or a key with data. */
export interface ElementSpec extends Pick<RuleSpec, 'comment' | 'userdata'> {
  /** Key of the element, in network byte order. */
  readonly key?: Uint8Array | undefined
  /** Last key of an interval, in a set of concatenations. */
  readonly keyEnd?: Uint8Array | undefined
  /** Data of the key, in a map. */
  readonly data?: Uint8Array | Verdict | undefined
  /**
   * Kind of element. `intervalEnd`: the first key after the interval that the previous element begins; not in sets of
   * concatenations. `catchAll`: matches if no other element does, and has no key.
   */
  readonly flags?: readonly ('intervalEnd' | 'catchAll')[] | undefined
  /** Time until the element expires, in milliseconds. */
  readonly timeout?: bigint | undefined
}

export type Compat = NonNullable<RuleSpec['compat']>
export type SetFlag = NonNullable<SetSpec['flags']>[number]
export type ElementFlag = NonNullable<ElementSpec['flags']>[number]
