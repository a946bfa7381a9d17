import type { IpFamily } from '@cni/types/ip'

/** A connection that the kernel tracks. As read it is a filter that matches this connection. */
export interface ConntrackEntry {
  readonly family: IpFamily
  /** `tcp`, `udp`, `sctp`, `icmp`, `icmpv6`, `gre`, `dccp` or `udplite`; else the number. */
  readonly protocol: string | number
  /** The first packet of the connection, before NAT. */
  readonly original: {
    readonly src: string
    readonly dst: string
    /** Missing for protocols without ports. */
    readonly sport?: number
    readonly dport?: number
  }
  /** The answers to it: with NAT, not the mirror image of `original`. */
  readonly reply: ConntrackEntry['original']
  readonly zone: number
  readonly mark: number
  /** Seconds until the entry expires; missing in events of its end. */
  readonly timeoutSeconds?: number
}

/**
 * The connections that the kernel tracks in one namespace. Code that works on them takes this port, so that its tests
 * can pass `fakeConntrack()`. Errors are `NetnsError`: `INVALID` for a filter with an invalid member, `TOO_MANY` for a
 * list beyond its limit, or the errno name of the kernel.
 */
export interface ConntrackPort {
  /** Lists the connections that match; an omitted member matches every connection. Throws `TOO_MANY` if more than `limit` match. */
  list(
    filter?: {
      readonly family?: IpFamily | undefined
      /** A name or a number. */
      readonly protocol?: string | number | undefined
      /** Selects one direction of a connection. */
      readonly original?:
        | { readonly [K in keyof ConntrackEntry['original']]?: ConntrackEntry['original'][K] | undefined }
        | undefined
      readonly reply?:
        | { readonly [K in keyof ConntrackEntry['reply']]?: ConntrackEntry['reply'][K] | undefined }
        | undefined
      readonly zone?: number | undefined
    },
    options?: {
      /** The largest number of entries to return. Default: 65536. */
      readonly limit?: number | undefined
    },
  ): Promise<ConntrackEntry[]>
  /**
   * Deletes the connections that match, and returns their number. The next packet of such a connection passes the NAT
   * rules again. `only` decides about each of them where a filter cannot say it. Throws `INVALID` for a filter without
   * a member: it would delete every connection of the node.
   */
  delete(
    filter: NonNullable<Parameters<ConntrackPort['list']>[0]>,
    only?: (entry: ConntrackEntry) => boolean,
  ): Promise<{ deleted: number }>
  /**
   * Yields changes of connections that match, from the first call of `next()` on. `lost`: the socket could not hold all
   * events; list the table again.
   */
  watch(
    filter?: Parameters<ConntrackPort['list']>[0],
    options?: {
      readonly signal?: AbortSignal | undefined
      /** Milliseconds between two reads of the socket. Default: none, the kernel wakes the process; 10 on a worker thread. */
      readonly interval?: number | undefined
    },
  ): AsyncGenerator<
    { readonly type: 'new' | 'update' | 'destroy'; readonly entry: ConntrackEntry } | { readonly type: 'lost' },
    void,
    void
  >
}

/** One direction of a connection. */
export type ConntrackTuple = ConntrackEntry['original']
/** Selects one direction of a connection. */
export type ConntrackFilter = NonNullable<Parameters<ConntrackPort['list']>[0]>
export type TupleFilter = NonNullable<ConntrackFilter['original']>
/** Ends and paces `watch`. */
export type ConntrackWatchOptions = NonNullable<Parameters<ConntrackPort['watch']>[1]>
/** A change of the table. */
export type ConntrackEvent = ReturnType<ConntrackPort['watch']> extends AsyncGenerator<infer Event> ? Event : never
