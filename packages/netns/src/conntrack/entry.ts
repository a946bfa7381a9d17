import type { IpFamily } from '@cni/types/ip'

/** The addresses and ports of one direction of a connection. */
export interface ConntrackTuple {
  readonly src: string
  readonly dst: string
  /** Missing for protocols without ports. */
  readonly sport?: number
  readonly dport?: number
}

/** A connection that the kernel tracks. As read it is a filter that matches this connection. */
export interface ConntrackEntry {
  readonly family: IpFamily
  /** `tcp`, `udp`, `sctp`, `icmp`, `icmpv6`, `gre`, `dccp` or `udplite`; else the number. */
  readonly protocol: string | number
  /** The first packet of the connection, before NAT. */
  readonly original: ConntrackTuple
  /** The answers to it: with NAT, not the mirror image of `original`. */
  readonly reply: ConntrackTuple
  readonly zone: number
  readonly mark: number
  /** Seconds until the entry expires; missing in events of its end. */
  readonly timeoutSeconds?: number
}

/** Selects connections. An omitted member matches every connection. */
export interface ConntrackFilter {
  readonly family?: IpFamily | undefined
  /** A name or a number. */
  readonly protocol?: string | number | undefined
  readonly original?: TupleFilter | undefined
  readonly reply?: TupleFilter | undefined
  readonly zone?: number | undefined
}

/** Selects one direction of a connection. */
export interface TupleFilter {
  readonly src?: string | undefined
  readonly dst?: string | undefined
  readonly sport?: number | undefined
  readonly dport?: number | undefined
}

/** A change of the table. `lost`: the socket could not hold all events; list the table again. */
export type ConntrackEvent =
  | { readonly type: 'new' | 'update' | 'destroy'; readonly entry: ConntrackEntry }
  | { readonly type: 'lost' }

/** Bounds a list. */
export interface ConntrackListOptions {
  /** The largest number of entries to return. Default: 65536. */
  readonly limit?: number | undefined
}

/** Ends and paces `watch`. */
export interface ConntrackWatchOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds between two reads of the socket. Default: none, the kernel wakes the process; 10 on a worker thread. */
  readonly interval?: number | undefined
}

/**
 * The connections that the kernel tracks in one namespace. Code that works on them takes this port, so that its tests
 * can pass `fakeConntrack()`. Errors are `NetnsError`: `INVALID` for a filter with an invalid member, `TOO_MANY` for a
 * list beyond its limit, or the errno name of the kernel.
 */
export interface ConntrackPort {
  /** Lists the connections that match. Throws `TOO_MANY` if more than `limit` match. */
  list(filter?: ConntrackFilter, options?: ConntrackListOptions): Promise<ConntrackEntry[]>
  /**
   * Deletes the connections that match, and returns their number. The next packet of such a connection passes the NAT
   * rules again. `only` decides about each of them where a filter cannot say it. Throws `INVALID` for a filter without
   * a member: it would delete every connection of the node.
   */
  delete(filter: ConntrackFilter, only?: (entry: ConntrackEntry) => boolean): Promise<{ deleted: number }>
  /** Yields changes of connections that match, from the first call of `next()` on. */
  watch(filter?: ConntrackFilter, options?: ConntrackWatchOptions): AsyncGenerator<ConntrackEvent, void, void>
}
