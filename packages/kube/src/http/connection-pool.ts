import { bunKeepAlive } from './bun-transport.ts'
import { defaultTransport } from './default-transport.ts'
import { nodeKeepAlive } from './node-transport.ts'
import { StaleConnection, type Transport } from './transport.ts'

/** HTTP transport whose connections stay open for the next request. */
export interface ConnectionPool extends Disposable {
  /** HTTP transport for requests that the server may safely receive twice. */
  readonly transport: Transport
}

/**
 * Maximum number of connections that stay open. Further simultaneous requests open and close connections of their own.
 */
const MAX_CONNECTIONS = 2

/** Milliseconds until an open connection counts as dead. A slow server may get requests twice. */
const TIMEOUT_MS = 1500

/** Creates an HTTP transport whose connections stay open, so most requests need no TLS handshake. */
export function connectionPool(): ConnectionPool {
  const pool = process.versions.bun === undefined ? nodeKeepAlive() : bunKeepAlive()
  let [busy, isOpen] = [0, true]
  return {
    async transport(request) {
      if (!isOpen || busy >= MAX_CONNECTIONS || request.url.protocol !== 'https:') return defaultTransport(request)
      busy += 1
      const timeout = AbortSignal.timeout(TIMEOUT_MS)
      try {
        return await pool.transport({ ...request, signal: AbortSignal.any([request.signal, timeout]) })
      } catch (error) {
        const isStale = error instanceof StaleConnection
        if (request.signal.aborted || !(isStale || timeout.aborted)) throw isStale ? error.cause : error
      } finally {
        busy -= 1
      }
      return defaultTransport(request)
    },
    [Symbol.dispose]() {
      isOpen = false
      pool[Symbol.dispose]()
    },
  }
}
