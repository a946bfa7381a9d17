/**
 * Ports on which ztunnel listens in a pod: for outbound connections, inbound plain text, HBONE from other ztunnels, and
 * DNS.
 */
export const OUTBOUND_PORT = 15001
export const INBOUND_PORT = 15006
export const HBONE_PORT = 15008
export const QUERY_PORT = 15053

/** Port of DNS servers. */
export const DNS_PORT = 53

/** Mark of packets from ztunnel, and its mask. The remaining bits are for the marks of other programs. */
export const ZTUNNEL_MARK = 0x539
export const MARK_MASK = 0xfff

/** Conntrack zone of ztunnel's own queries. They may have the same ports as queries that ztunnel answers. */
export const ZTUNNEL_ZONE = 1

/** Policy route for answers to connections that ztunnel opened to its own pod with the client's address. */
export const replyRoute = { mark: 0x111, mask: MARK_MASK, table: 100, priority: 32764 } as const
