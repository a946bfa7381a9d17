import type { Expression } from './expressions/expression-types.ts'
import type { Family } from './family.ts'
import type { Verdict } from './fields/verdict.ts'

/** Name and family of a table. A name is any text of at most 255 bytes. */
export interface TableName {
  readonly family: Family
  readonly table: string
}

/** Name of a chain, with the table and family of the chain. */
export interface ChainName extends TableName {
  readonly chain: string
}

/** Type, hook and priority of a base chain. */
export interface BaseChain {
  readonly type: 'filter' | 'nat' | 'route'
  readonly hook: 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting' | 'ingress' | 'egress'
  /**
   * Priority of the base chain: a lower number sees packets first. The kernel refuses `nat` chains at -200 and below.
   */
  readonly priority: number
  /** Network interface whose packets the base chain sees. For the family `netdev` and for the hook `ingress`. */
  readonly device?: string | undefined
}

/** Rule that a batch adds to a chain. */
export interface RuleSpec extends ChainName {
  /**
   * Expressions of the rule as objects or as bytes. The bytes come from {@link encodeExpressions}, or from a rule that
   * was read.
   */
  readonly expressions: readonly Expression[] | Uint8Array
  /**
   * Protocol of a rule with xt modules (extensions of iptables). 0 means any protocol. With `inverted`, the rule
   * matches all other protocols. The caller has to pass the protocol, because the kernel does not report it.
   */
  readonly compat?: { readonly protocol: number; readonly inverted: boolean } | undefined
  /** Id of the rule, by which other rules of the batch refer to it. */
  readonly id?: number | undefined
  /**
   * Position of the rule in its chain; default `last`. A handle names an existing rule of the chain. An id names a rule
   * of the batch.
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
  /** User data of the rule, instead of a comment. Consists of entries as libnftnl writes them. */
  readonly userdata?: Uint8Array | undefined
}

/** Name of a set, with the table and family of the set. */
export interface SetName extends TableName {
  readonly set: string
  /** Id of the set in its batch. Needed as long as the kernel has not named the set. */
  readonly setId?: number | undefined
}

/**
 * Set or map that a batch adds to a table. An anonymous set has the name `__set%d`, and its rule refers to its id. The
 * kernel deletes an anonymous set with its rule.
 */
export interface SetSpec extends SetName, Pick<RuleSpec, 'comment' | 'userdata'> {
  /** Flags of the set. For intervals of concatenated keys the kernel requires `concat`. */
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
   * Data type of the set's keys, as nft's number. Examples: 7 IPv4 address, 8 IPv6 address, 13 port. The number of a
   * concatenated type has six bits for each part of the key.
   */
  readonly keyType: number
  /** Length of a set key in bytes. Each part of a concatenated key is padded to four bytes. */
  readonly keyLength: number
  /** Data type of a map's values, as nft's number, or `verdict`. */
  readonly dataType?: number | 'verdict' | undefined
  readonly dataLength?: number | undefined
  /** Maximum number of elements of the set. */
  readonly size?: number | undefined
  /** Length in bytes of each part of the set's concatenated keys, for sets with intervals. */
  readonly concat?: readonly number[] | undefined
  /** Time until an element of the set expires, in milliseconds. */
  readonly timeout?: bigint | undefined
}

/** Element of a set, for addition or deletion in a batch. */
export interface ElementSpec extends Pick<RuleSpec, 'comment' | 'userdata'> {
  /** Key of the set element, in network byte order. */
  readonly key?: Uint8Array | undefined
  /** Last key of the element's interval, in a set of concatenated keys. */
  readonly keyEnd?: Uint8Array | undefined
  /** Data to which a map maps the element's key: a value or a verdict. */
  readonly data?: Uint8Array | Verdict | undefined
  /**
   * Flags of the set element. `intervalEnd`: the key is the first key after an interval. Sets of concatenated keys do
   * not use `intervalEnd`. `catchAll`: the element matches all keys without an element of their own.
   */
  readonly flags?: readonly ('intervalEnd' | 'catchAll')[] | undefined
  /** Time until the set element expires, in milliseconds. */
  readonly timeout?: bigint | undefined
}

export type Compat = NonNullable<RuleSpec['compat']>
export type SetFlag = NonNullable<SetSpec['flags']>[number]
export type ElementFlag = NonNullable<ElementSpec['flags']>[number]
