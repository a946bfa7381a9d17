import type { Socket } from 'node:net'
import { HBONE_PORT, INBOUND_PORT, OUTBOUND_PORT, QUERY_PORT } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import { type Forwarded, listenersIn, overTcp, type ProxySurroundings, plain } from './listeners.ts'
import { BindError } from './marked-sockets.ts'
import { originalDestination } from './original-destination.ts'

/**
 * Listens in a pod as ztunnel does, and forwards redirected connections in plain text. Outbound connections go to their
 * original destination. Inbound connections go to the pod, with the address of the client. It does not speak HBONE, and
 * answers DNS queries with "no such name".
 *
 * Takes ownership of the namespace. Returns a function that closes the listeners; open connections continue. Throws a
 * `BindError`.
 */
export function podProxy(pod: Netns, surroundings: ProxySurroundings): () => void {
  const { serve, answer, keep, pass, ...listeners } = listenersIn(pod, { ...surroundings, shared: true })
  const close = (): void => {
    listeners.close()
    pod.close()
  }
  const redirected = (direction: Forwarded['direction']) => (client: Socket) => {
    const to = destinationOf(client)
    // A connection to ztunnel's own port has no other destination.
    if (to === undefined || to.port === client.localPort) keep(client).destroy()
    else
      pass(client, { direction, to, source: direction === 'inbound' ? plain(client.remoteAddress ?? '') : undefined })
  }
  try {
    for (const address of ['127.0.0.1', '::1']) {
      try {
        answer(address)
      } catch (error) {
        // The error is ignored, because IPv6 is off in the pod.
        if (address === '::1' && error instanceof BindError && error.code === 'EADDRNOTAVAIL') continue
        throw error
      }
      serve(address, QUERY_PORT, (client) => keep(client).on('data', (query) => client.end(overTcp(query))))
    }
    serve('::', INBOUND_PORT, redirected('inbound'))
    serve('::', OUTBOUND_PORT, redirected('outbound'))
    serve('::', HBONE_PORT, (client) => keep(client).destroy())
  } catch (error) {
    close()
    throw error
  }
  return close
}

// internal

function destinationOf(client: Socket) {
  try {
    return originalDestination(client)
  } catch {
    return undefined
  }
}
