/** Ports of ztunnel in a pod: outbound, inbound plain text, HBONE, and DNS. */
export const OUTBOUND_PORT = 15001
export const INBOUND_PORT = 15006
export const HBONE_PORT = 15008
export const QUERY_PORT = 15053

/** Port of DNS servers (53). */
export const DNS_PORT = 53

/** Packet mark of ztunnel's own packets, and the mask of the mark. Other programs may use the bits outside the mask. */
export const ZTUNNEL_MARK = 0x539
export const MARK_MASK = 0xfff

/** Conntrack zone of ztunnel's own DNS queries, which may share ports with an application's queries. */
export const ZTUNNEL_ZONE = 1

/**
 * Policy route that returns the application's replies to ztunnel. Replies would otherwise go to the client, because
 * ztunnel connects with the client's address.
 */
export const replyRoute = { mark: 0x111, mask: MARK_MASK, table: 100, priority: 32764 } as const
