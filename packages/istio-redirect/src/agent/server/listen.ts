import type { Server } from 'node:net'
import { errnoOf } from '@cni/types'

/** HTTP server or other server that can close its connections. */
export interface ClosableServer extends Server {
  closeAllConnections(): void
}

/** Makes a server listen on a port of all addresses, or on a unix socket. */
export async function listen(server: Server, where: number | string): Promise<void> {
  if (typeof where === 'string') return attempt(server, { path: where })
  try {
    await attempt(server, { port: where, host: '::' })
  } catch (error) {
    const errno = errnoOf(error)
    // Listens on IPv4 alone if the node has no IPv6.
    if (errno !== 'EAFNOSUPPORT' && errno !== 'EADDRNOTAVAIL') throw error
    await attempt(server, { port: where, host: '0.0.0.0' })
  }
}

/** Closes a server and all of its connections. */
export function shut(server: ClosableServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** Returns the port that the server listens on. */
export function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function attempt(server: Server, options: { path: string } | { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      // An error of one connection must not end the server.
      server.on('error', () => {})
      resolve()
    })
  })
}
