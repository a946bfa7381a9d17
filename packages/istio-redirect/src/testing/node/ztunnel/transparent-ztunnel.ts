import type { Socket } from 'node:net'
import { HBONE_PORT, INBOUND_PORT, OUTBOUND_PORT, QUERY_PORT } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import { type Forwarded, listenersIn, overTcp, plain } from './listeners.ts'

/** Stand-in for a ztunnel that listens in its own network namespace only, not in pods. */
export interface TransparentZtunnel extends AsyncDisposable {
  /** Connections that the ztunnel stand-in has forwarded, the oldest first. */
  readonly forwarded: readonly Forwarded[]
  /** Closes listeners and connections at once, as SIGKILL would. */
  stop(): Promise<void>
}

/**
 * Starts a stand-in for a node's ztunnel in the test's process. Like ztunnel of Istio up to 1.19, the stand-in listens
 * outside the pods. It forwards each connection to its original destination. DNS queries are answered with "no such
 * name".
 *
 * The caller keeps the namespace open. Needs root. By default, the stand-in connects from the client's address.
 * `source: 'own'` selects its own address.
 *
 * @example
 * ```ts
 * import { startTransparentZtunnel } from '@cni/istio-redirect/testing/node'
 * import { tempNetns } from '@cni/netns/testing'
 *
 * await using own = await tempNetns()
 * await using ztunnel = startTransparentZtunnel(own)
 * export const passed = ztunnel.forwarded.map(({ direction, from, to }) => `${direction}: ${from} to ${to}`)
 * ```
 */
export function startTransparentZtunnel(
  netns: Netns,
  { source = 'client' }: { readonly source?: 'client' | 'own' | undefined } = {},
): TransparentZtunnel {
  const open = new Set<Socket>()
  const forwarded: Forwarded[] = []
  const deps = { open, onForward: (each: Forwarded) => void forwarded.push(each) }
  const { serve, answer, register, pass, close } = listenersIn(netns, deps)
  const transparent = (direction: Forwarded['direction'], listener: number) => (client: Socket) => {
    const { localAddress = '', localPort = listener, remoteAddress = '' } = client
    // Closes a connection to ztunnel's own port, because the connection has no other destination.
    if (localPort === listener && direction !== 'hbone') return void register(client).destroy()
    const to = { address: plain(localAddress), port: localPort }
    pass(client, { direction, to, source: source === 'client' ? plain(remoteAddress) : undefined })
  }
  const stop = async (): Promise<void> => {
    close()
    for (const socket of open) socket.destroy()
  }
  try {
    answer('0.0.0.0')
    serve('0.0.0.0', QUERY_PORT, (client) => register(client).on('data', (query) => client.end(overTcp(query))))
    serve('0.0.0.0', OUTBOUND_PORT, transparent('outbound', OUTBOUND_PORT))
    serve('0.0.0.0', INBOUND_PORT, transparent('inbound', INBOUND_PORT))
    serve('0.0.0.0', HBONE_PORT, transparent('hbone', HBONE_PORT))
  } catch (error) {
    close()
    throw error
  }
  return { forwarded, stop, [Symbol.asyncDispose]: stop }
}
