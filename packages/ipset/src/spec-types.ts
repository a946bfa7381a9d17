import type { IpFamily } from '@cni/types/ip'

/** Type and options of an IP set. */
export type SetSpec = {
  /** True if the entries of the set may have a comment. */
  readonly comment?: boolean
  /** True if the kernel counts packets and bytes for each entry of the set. */
  readonly counters?: boolean
  /**
   * Default time-out of the set's entries in seconds. With 0, only an entry with its own time-out expires. A missing
   * value means that entries cannot have time-outs.
   */
  readonly timeoutSeconds?: number
} & (
  | {
      /** Set of addresses or networks, optionally with a port. All entries have the same address family. */
      readonly type: 'hash:ip' | 'hash:net' | 'hash:ip,port' | 'hash:net,port'
      readonly family: IpFamily
      /** Maximum number of entries in the set. Default: 65536. */
      readonly maxelem?: number
      /** Initial size of the set's hash table, which the kernel enlarges when needed. Default: 1024. */
      readonly hashsize?: number
    }
  | {
      /** Set of hardware (MAC) addresses. */
      readonly type: 'hash:mac'
      /** Maximum number of entries in the set. Default: 65536. */
      readonly maxelem?: number
      /** Initial size of the set's hash table, which the kernel enlarges when needed. Default: 1024. */
      readonly hashsize?: number
    }
  | {
      /** Set whose entries are other sets, by name (`list:set`). */
      readonly type: 'list:set'
      /** Initial number of sets that the list can hold (`size` of `list:set`). Default: 8. */
      readonly size?: number
    }
  | {
      /** Set of ports without a protocol. The ports lie within a range. */
      readonly type: 'bitmap:port'
      /** First and last port that the set can hold. Default: `[0, 65535]`. */
      readonly range?: readonly [number, number]
    }
)

/**
 * Text of an entry in an IP set: `10.0.0.5`, `10.0.0.0/8`, `10.0.0.5,tcp:80`, `02:00:00:00:00:01`, a set's name, or
 * `80`.
 */
export type EntryText<S extends SetSpec = SetSpec> = S['type'] extends 'hash:ip,port' | 'hash:net,port'
  ? `${string},${'tcp' | 'udp' | 'sctp' | 'udplite'}:${number}`
  : S['type'] extends 'bitmap:port'
    ? `${number}`
    : string

/** An entry to write into an IP set, optionally with options. The set's spec must allow each option. */
export type Entry<S extends SetSpec = SetSpec> =
  | EntryText<S>
  | {
      readonly entry: EntryText<S>
      /**
       * Comment of the entry: at most 255 bytes, without `"` and control characters. Allowed only if the set's spec has
       * `comment: true`.
       */
      readonly comment?: 'comment' extends keyof S ? (true extends S['comment'] ? string : never) : never
      /** Seconds until the entry expires; 0 for never. Allowed only if the set's spec has `timeoutSeconds`. */
      readonly timeoutSeconds?: 'timeoutSeconds' extends keyof S ? number : never
      /** True to make the entry an exception: addresses in its network do not match the set. */
      readonly nomatch?: [Extract<S['type'], `hash:net${string}`>] extends [never] ? never : boolean
    }

/** An entry to write into a set of any type, before validation. */
export type AnyEntry =
  | string
  | { readonly entry: string; readonly comment?: string; readonly timeoutSeconds?: number; readonly nomatch?: boolean }

/** An entry of an IP set as read from the kernel. */
export interface SetEntry {
  readonly entry: string
  readonly comment?: string
  /** Seconds until the entry expires; 0 for never. */
  readonly timeoutSeconds?: number
  readonly nomatch?: true
  readonly packets?: number
  readonly bytes?: number
}

/** An IP set of the namespace as read from the kernel, without entries. */
export interface SetInfo {
  readonly name: string
  /** Type of the set. It may be a type that this package cannot create. */
  readonly type: string
  readonly family?: IpFamily
  readonly maxelem?: number
  readonly timeoutSeconds?: number
  readonly comment?: true
  readonly counters?: true
  readonly range?: string
  /** Options of the set that this package never sets itself, such as `netmask 24`. */
  readonly other: readonly string[]
  /** Number of rules and other sets that refer to the set. The kernel deletes the set only if the number is 0. */
  readonly references: number
  readonly entryCount: number
}
