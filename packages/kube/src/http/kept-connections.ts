import { bunKeeping } from './bun-transport.ts'
import { defaultTransport } from './default-transport.ts'
import { nodeKeeping } from './node-transport.ts'
import { StaleConnection, type Transport } from './transport.ts'

/** HTTP transport whose connections stay open for the next request. */
export interface KeptConnections extends Disposable {
  /** HTTP transport for requests that the server may safely receive twice. */
  readonly transport: Transport
}

/**
 * Maximum number of connections that stay open. Further simultaneous requests open and close connections of their own.
 */
const MOST = 2

/** Milliseconds until an open connection counts as dead. A slow server may get requests twice. */
const PATIENCE_MS = 1500

/** Creates an HTTP transport whose connections stay open, so most requests need no TLS handshake. */
export function keptConnections(): KeptConnections {
  const keeping = process.versions.bun === undefined ? nodeKeeping() : bunKeeping()
  let [busy, isOpen] = [0, true]
  return {
    async transport(request) {
      if (!isOpen || busy >= MOST || request.url.protocol !== 'https:') return defaultTransport(request)
      busy += 1
      const patience = AbortSignal.timeout(PATIENCE_MS)
      try {
        return await keeping.transport({ ...request, signal: AbortSignal.any([request.signal, patience]) })
      } catch (error) {
        const isStale = error instanceof StaleConnection
        if (request.signal.aborted || !(isStale || patience.aborted)) throw isStale ? error.cause : error
      } finally {
        busy -= 1
      }
      return defaultTransport(request)
    },
    [Symbol.dispose]() {
      isOpen = false
      keeping[Symbol.dispose]()
    },
  }
}
