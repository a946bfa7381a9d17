/** Ports of the benchmark's traffic servers. `request` answers single bytes, `stream` sends megabytes. */
export const ports = { request: 8080, stream: 8081 } as const

/** Bytes in a megabyte. */
export const MEGABYTE = 1e6
