import type { IpFamily } from '@cni/types/ip'

/** What every type of set can store besides its entries. */
export interface SetExtensions {
  /** Entries may have a comment. */
  readonly comment?: boolean
  /** Packets and bytes are counted per entry. */
  readonly counters?: boolean
  /** Entries expire after this many seconds unless they say otherwise; 0: only those that say so. */
  readonly timeoutSeconds?: number
}

/** Addresses, networks, or either with a port. A set holds one family. */
export interface AddressSetSpec extends SetExtensions {
  readonly type: 'hash:ip' | 'hash:net' | 'hash:ip,port' | 'hash:net,port'
  readonly family: IpFamily
  /** How many entries fit. Default 65536. */
  readonly maxelem?: number
  /** The size to begin with; it grows. Default 1024. */
  readonly hashsize?: number
}

/** Hardware addresses. */
export interface MacSetSpec extends SetExtensions {
  readonly type: 'hash:mac'
  /** How many entries fit. Default 65536. */
  readonly maxelem?: number
  /** The size to begin with; it grows. Default 1024. */
  readonly hashsize?: number
}

/** Names of other sets. */
export interface ListSetSpec extends SetExtensions {
  readonly type: 'list:set'
  /** The size to begin with. Default 8. */
  readonly size?: number
}

/** Ports without a protocol, within a range. */
export interface PortSetSpec extends SetExtensions {
  readonly type: 'bitmap:port'
  /** First and last port that fit. Default `[0, 65535]`. */
  readonly range?: readonly [number, number]
}

/** What a set is made with. */
export type SetSpec = AddressSetSpec | MacSetSpec | ListSetSpec | PortSetSpec

/** The types of sets that this package makes. */
export type SetType = SetSpec['type']

/** Protocols of an entry with a port. */
export type SetProtocol = 'tcp' | 'udp' | 'sctp' | 'udplite'

/** An entry as text: `10.0.0.5`, `10.0.0.0/8`, `10.0.0.5,tcp:80`, `02:00:00:00:00:01`, a set's name, or `80`. */
export type EntryText<S extends SetSpec = SetSpec> = S['type'] extends 'hash:ip,port' | 'hash:net,port'
  ? `${string},${SetProtocol}:${number}`
  : S['type'] extends 'bitmap:port'
    ? `${number}`
    : string

/** An entry to write: its text, alone or with what the set's spec allows. */
export type Entry<S extends SetSpec = SetSpec> =
  | EntryText<S>
  | {
      readonly entry: EntryText<S>
      /** At most 255 bytes, no `"` and no control characters. The spec needs `comment: true`. */
      readonly comment?: 'comment' extends keyof S ? (true extends S['comment'] ? string : never) : never
      /** Seconds until it expires, 0 for never. The spec needs a `timeoutSeconds`. */
      readonly timeoutSeconds?: 'timeoutSeconds' extends keyof S ? number : never
      /** An exception: addresses in this network do not match. */
      readonly nomatch?: [Extract<S['type'], `hash:net${string}`>] extends [never] ? never : boolean
    }

/** One or several entries to write. */
export type Entries<S extends SetSpec = SetSpec> = Entry<S> | readonly Entry<S>[]

/** An entry of whatever spec, before it is checked. */
export type AnyEntry =
  | string
  | { readonly entry: string; readonly comment?: string; readonly timeoutSeconds?: number; readonly nomatch?: boolean }

/** An entry as the kernel holds it. */
export interface SetEntry {
  readonly entry: string
  readonly comment?: string
  /** Seconds left, 0 for ever. */
  readonly timeoutSeconds?: number
  readonly nomatch?: true
  readonly packets?: number
  readonly bytes?: number
}
