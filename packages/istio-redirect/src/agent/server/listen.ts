import type { Server } from 'node:net'
import { errnoOf } from '@cni/types'

/** A server, HTTP or not, that can be rid of its clients. */
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
    // a node without IPv6
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

/** The port a server got. */
export function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function attempt(server: Server, options: { path: string } | { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      // what goes wrong with one connection is not the end of the server
      server.on('error', () => {})
      resolve()
    })
  })
}
