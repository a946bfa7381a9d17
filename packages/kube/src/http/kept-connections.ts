import { bunKeeping } from './bun-transport.ts'
import { defaultTransport } from './default-transport.ts'
import { nodeKeeping } from './node-transport.ts'
import { StaleConnection, type Transport } from './transport.ts'

/** A transport over connections that stay open for the next request. */
export interface KeptConnections extends Disposable {
  /**
   * For requests that may arrive twice without harm: one over a connection that the server is closing, or on which nobody
   * answers any more, is sent once more, over a new one. What a request shows and whom it trusts are its own.
   */
  readonly transport: Transport
}

/** So many stay open at most; requests beside those have a connection each, which ends with them. */
const MOST = 2

/** Of a server that went without a word nothing else tells; one that is slow gets the request twice. */
const PATIENCE_MS = 1500

/**
 * Connections that are made when they are needed and then kept, as long as the server keeps them: a TLS handshake costs
 * more than the request behind it. Disposed of, it opens and keeps no more; bun closes those that are open with the process.
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
