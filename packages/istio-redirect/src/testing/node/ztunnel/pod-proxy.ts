import type { Socket } from 'node:net'
import { HBONE_PORT, INBOUND_PORT, OUTBOUND_PORT, QUERY_PORT } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import { type Forwarded, listenersIn, overTcp, type ProxyDeps, plain } from './listeners.ts'
import { BindError } from './marked-sockets.ts'
import { originalDestination } from './original-destination.ts'

/** Listens in a pod as ztunnel does. Takes ownership of the namespace. Throws a `BindError`. */
export function podProxy(pod: Netns, deps: ProxyDeps): () => void {
  const { serve, answer, register, pass, ...listeners } = listenersIn(pod, { ...deps, shared: true })
  const close = (): void => {
    listeners.close()
    pod.close()
  }
  const redirected = (direction: Forwarded['direction']) => (client: Socket) => {
    const to = destinationOf(client)
    // Closes a connection to ztunnel's own port, because the connection has no other destination.
    if (to === undefined || to.port === client.localPort) register(client).destroy()
    else
      pass(client, { direction, to, source: direction === 'inbound' ? plain(client.remoteAddress ?? '') : undefined })
  }
  try {
    for (const address of ['127.0.0.1', '::1']) {
      try {
        answer(address)
      } catch (error) {
        // EADDRNOTAVAIL for `::1` means that IPv6 is off in the pod: ztunnel listens on IPv4 only.
        if (address === '::1' && error instanceof BindError && error.code === 'EADDRNOTAVAIL') continue
        throw error
      }
      serve(address, QUERY_PORT, (client) => register(client).on('data', (query) => client.end(overTcp(query))))
    }
    serve('::', INBOUND_PORT, redirected('inbound'))
    serve('::', OUTBOUND_PORT, redirected('outbound'))
    serve('::', HBONE_PORT, (client) => register(client).destroy())
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
