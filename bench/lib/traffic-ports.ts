/** Where servers answer a byte with a byte, and where they send as many megabytes as a line says. */
export const ports = { request: 8080, stream: 8081 } as const

/** In bytes. */
export const MEGABYTE = 1e6
