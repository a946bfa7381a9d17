import type { IpFamily } from '@cni/types/ip'

/** Type and options of a set. */
export type SetSpec = {
  /** Entries may have a comment. */
  readonly comment?: boolean
  /** The kernel counts packets and bytes of each entry. */
  readonly counters?: boolean
  /** Default time-out of an entry in seconds. 0 means that only entries with their own time-out expire. */
  readonly timeoutSeconds?: number
} & (
  | {
      /** Addresses or networks, optionally with a port. A set holds one family. */
      readonly type: 'hash:ip' | 'hash:net' | 'hash:ip,port' | 'hash:net,port'
      readonly family: IpFamily
      /** Maximum number of entries. Default: 65536. */
      readonly maxelem?: number
      /** Initial hash size; the kernel enlarges it. Default: 1024. */
      readonly hashsize?: number
    }
  | {
      /** Hardware addresses. */
      readonly type: 'hash:mac'
      /** Maximum number of entries. Default: 65536. */
      readonly maxelem?: number
      /** Initial hash size; the kernel enlarges it. Default: 1024. */
      readonly hashsize?: number
    }
  | {
      /** Names of other sets. */
      readonly type: 'list:set'
      /** Initial size. Default: 8. */
      readonly size?: number
    }
  | {
      /** Ports without a protocol, within a range. */
      readonly type: 'bitmap:port'
      /** First and last possible port. Default: `[0, 65535]`. */
      readonly range?: readonly [number, number]
    }
)

/** An entry as text: `10.0.0.5`, `10.0.0.0/8`, `10.0.0.5,tcp:80`, `02:00:00:00:00:01`, a set's name, or `80`. */
export type EntryText<S extends SetSpec = SetSpec> = S['type'] extends 'hash:ip,port' | 'hash:net,port'
  ? `${string},${'tcp' | 'udp' | 'sctp' | 'udplite'}:${number}`
  : S['type'] extends 'bitmap:port'
    ? `${number}`
    : string

/** An entry to write: its text, or text with the options that the set's spec allows. */
export type Entry<S extends SetSpec = SetSpec> =
  | EntryText<S>
  | {
      readonly entry: EntryText<S>
      /** Comment of at most 255 bytes, without `"` and control characters. The spec needs `comment: true`. */
      readonly comment?: 'comment' extends keyof S ? (true extends S['comment'] ? string : never) : never
      /** Seconds until the entry expires; 0 for never. The spec needs a `timeoutSeconds`. */
      readonly timeoutSeconds?: 'timeoutSeconds' extends keyof S ? number : never
      /** Makes the entry an exception: addresses in this network do not match. */
      readonly nomatch?: [Extract<S['type'], `hash:net${string}`>] extends [never] ? never : boolean
    }

/** An entry for any spec, not validated. */
export type AnyEntry =
  | string
  | { readonly entry: string; readonly comment?: string; readonly timeoutSeconds?: number; readonly nomatch?: boolean }

/** An entry in the kernel. */
export interface SetEntry {
  readonly entry: string
  readonly comment?: string
  /** Remaining seconds; 0 for never. */
  readonly timeoutSeconds?: number
  readonly nomatch?: true
  readonly packets?: number
  readonly bytes?: number
}

/** A set of the namespace, without entries. */
export interface SetInfo {
  readonly name: string
  /** Type of the set, also one that this package cannot create. */
  readonly type: string
  readonly family?: IpFamily
  readonly maxelem?: number
  readonly timeoutSeconds?: number
  readonly comment?: true
  readonly counters?: true
  readonly range?: string
  /** Options that this package does not set, such as `netmask 24`. */
  readonly other: readonly string[]
  /** Number of rules and sets that refer to the set. It can be destroyed only at 0. */
  readonly references: number
  readonly entryCount: number
}
