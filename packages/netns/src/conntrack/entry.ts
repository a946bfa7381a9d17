import type { IpFamily } from '@cni/types/ip'

/**
 * Connection that the kernel tracks. An entry returned by `list` can serve as the filter that matches this connection.
 */
export interface ConntrackEntry {
  readonly family: IpFamily
  /** Name (`tcp`, `udp`, `sctp`, `icmp`, `icmpv6`, `gre`, `dccp` or `udplite`) or number of the protocol. */
  readonly protocol: string | number
  /** Addresses and ports of the connection's first packet, before NAT. */
  readonly original: {
    readonly src: string
    readonly dst: string
    /** Source port of the connection. Missing for protocols without ports. */
    readonly sport?: number
    readonly dport?: number
  }
  /** Addresses and ports of the connection's reply packets. Without NAT, the addresses and ports mirror `original`. */
  readonly reply: ConntrackEntry['original']
  readonly zone: number
  readonly mark: number
  /** Seconds until the kernel drops the idle connection. Missing in events that report the end of a connection. */
  readonly timeoutSeconds?: number
}

/**
 * Connections that the kernel tracks in one namespace. Take this interface as a parameter, so that tests can pass
 * `fakeConntrack()`.
 *
 * Errors are `NetnsError`:
 * - `INVALID`: a member of the filter is invalid
 * - `TOO_MANY`: the list exceeds its limit
 * - an errno name of the kernel
 */
export interface ConntrackPort {
  /**
   * Lists the connections that match a filter. An omitted member of the filter matches every connection. Throws
   * `TOO_MANY` if more than `limit` connections match.
   */
  list(
    filter?: {
      readonly family?: IpFamily | undefined
      /** Protocol of the connections to match, by name or number. */
      readonly protocol?: string | number | undefined
      /** Filter for the connection's first packet, before NAT: its addresses and ports. */
      readonly original?:
        | { readonly [K in keyof ConntrackEntry['original']]?: ConntrackEntry['original'][K] | undefined }
        | undefined
      readonly reply?:
        | { readonly [K in keyof ConntrackEntry['reply']]?: ConntrackEntry['reply'][K] | undefined }
        | undefined
      readonly zone?: number | undefined
    },
    options?: {
      /** Maximum number of connections to return. Default: 65536. */
      readonly limit?: number | undefined
    },
  ): Promise<ConntrackEntry[]>
  /**
   * Deletes the connections that match a filter, and returns their number. Packets of a deleted connection pass the NAT
   * rules again. The optional callback `only` returns true for each matching connection to delete. Throws `INVALID` for
   * an empty filter.
   */
  delete(
    filter: NonNullable<Parameters<ConntrackPort['list']>[0]>,
    only?: (entry: ConntrackEntry) => boolean,
  ): Promise<{ deleted: number }>
  /**
   * Yields changes of connections that match a filter. Watching starts with the first call of `next()`. List the
   * connections again after a `lost` event, because some events are missing.
   */
  watch(
    filter?: Parameters<ConntrackPort['list']>[0],
    options?: {
      readonly signal?: AbortSignal | undefined
      /**
       * Milliseconds between two reads of the event socket. Default: 10 on a worker thread. The main thread needs no
       * interval, because the kernel wakes the process.
       */
      readonly interval?: number | undefined
    },
  ): AsyncGenerator<
    { readonly type: 'new' | 'update' | 'destroy'; readonly entry: ConntrackEntry } | { readonly type: 'lost' },
    void,
    void
  >
}

/** Addresses and ports of one direction of a connection. */
export type ConntrackTuple = ConntrackEntry['original']
/** Filter for connections that the kernel tracks. */
export type ConntrackFilter = NonNullable<Parameters<ConntrackPort['list']>[0]>
export type TupleFilter = NonNullable<ConntrackFilter['original']>
/** Options of `watch`, which yields changes of the kernel's connection table. */
export type ConntrackWatchOptions = NonNullable<Parameters<ConntrackPort['watch']>[1]>
/** Change of the kernel's connection table. */
export type ConntrackEvent = ReturnType<ConntrackPort['watch']> extends AsyncGenerator<infer Event> ? Event : never
