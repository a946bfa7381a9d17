/**
 * Ports of the benchmark's traffic servers. On port `request` a server answers each byte with a byte. On port `stream`
 * it sends as many megabytes as the client asks for.
 */
export const ports = { request: 8080, stream: 8081 } as const

/** Bytes in a megabyte. */
export const MEGABYTE = 1e6
