import { bunKeeping } from './bun-transport.ts'
import { defaultTransport } from './default-transport.ts'
import { nodeKeeping } from './node-transport.ts'
import { StaleConnection, type Transport } from './transport.ts'

/** A transport over connections that stay open for the next request. */
export interface KeptConnections extends Disposable {
  /**
   * For requests that may arrive twice without harm: one that is sent over a connection that the server is closing is sent
   * once more, over a new one. What a request shows and whom it trusts are its own.
   */
  readonly transport: Transport
}

/** So many stay open at most; requests beside those have a connection each, which ends with them. */
const MOST = 2

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
      try {
        return await keeping.transport(request)
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error
        if (request.signal.aborted) throw error.cause
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
