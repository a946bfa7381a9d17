import type { ClusterAccess } from '../config/kubeconfig.ts'
import { keptConnections } from '../http/kept-connections.ts'
import { clientOver, type KubeClient, type KubeClientOptions } from './client.ts'

/**
 * Creates API clients that share open connections. Use the clients only for requests that may safely arrive twice. The
 * first request opens a connection, and disposing closes all connections.
 */
export function keptClients(): Disposable & {
  client(access: ClusterAccess, options?: KubeClientOptions): KubeClient
} {
  const { transport, ...connections } = keptConnections()
  return { ...connections, client: (access, options) => clientOver(transport, access, options) }
}
