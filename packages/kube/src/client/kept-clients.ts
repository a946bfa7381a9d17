import type { ClusterAccess } from '../config/kubeconfig.ts'
import { keptConnections } from '../http/kept-connections.ts'
import { clientOver, type KubeClient, type KubeClientOptions } from './client.ts'

/**
 * Clients that share their open connections, for requests that may arrive twice without harm. The first request opens a
 * connection. `client` makes a client with the credentials of that moment. Disposing closes the connections.
 */
export function keptClients(): Disposable & {
  client(access: ClusterAccess, options?: KubeClientOptions): KubeClient
} {
  const { transport, ...connections } = keptConnections()
  return { ...connections, client: (access, options) => clientOver(transport, access, options) }
}
