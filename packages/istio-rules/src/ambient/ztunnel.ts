/** Where ztunnel listens in a pod: what applications send, what they receive in plain text, other ztunnels, queries. */
export const OUTBOUND_PORT = 15001
export const INBOUND_PORT = 15006
export const HBONE_PORT = 15008
export const QUERY_PORT = 15053

/** The port of resolvers. */
export const DNS_PORT = 53

/** On what ztunnel itself sends; the mask leaves room for the marks of others. */
export const ZTUNNEL_MARK = 0x539
export const MARK_MASK = 0xfff

/** The conntrack zone of ztunnel's own queries, which may have the ports of those that it answers. */
export const ZTUNNEL_ZONE = 1

/** How answers to connections that ztunnel opened to its own pod, with the client's address, come back to it. */
export const replyRoute = { mark: 0x111, mask: MARK_MASK, table: 100, priority: 32764 } as const
