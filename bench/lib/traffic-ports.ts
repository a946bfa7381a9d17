/**
 * Ports of the servers. `request` answers a byte with a byte. `stream` sends the number of megabytes in the request.
 */
export const ports = { request: 8080, stream: 8081 } as const

/** Bytes in a megabyte. */
export const MEGABYTE = 1e6
