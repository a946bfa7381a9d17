import { bunKeeping } from './bun-transport.ts'
import { defaultTransport } from './default-transport.ts'
import { nodeKeeping } from './node-transport.ts'
import { StaleConnection, type Transport } from './transport.ts'

/** A transport whose connections stay open for the next request. */
export interface KeptConnections extends Disposable {
  /**
   * Transport for requests that the server may safely receive twice.
   * If a reused connection fails or gives no answer, the transport sends the request again over a new connection.
   * Each request has its own credentials and trust.
   */
  readonly transport: Transport
}

/** Maximum number of kept connections. Further simultaneous requests open and close their own. */
const MOST = 2

/**
 * Milliseconds without an answer after which a kept connection counts as dead. A slow server then gets the request
 * twice.
 */
const PATIENCE_MS = 1500

/**
 * Opens connections on demand and keeps them as long as the server does, to avoid TLS handshakes.
 * After disposal it opens and keeps no more. bun closes open connections only with the process.
 */
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
