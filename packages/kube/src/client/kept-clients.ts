import type { ClusterAccess } from '../config/kubeconfig.ts'
import { connectionPool } from '../http/connection-pool.ts'
import { clientFrom, type KubeClient, type KubeClientOptions } from './client.ts'

/**
 * Creates API clients that share open connections. Use the clients only for requests that may safely arrive twice. The
 * first request opens a connection, and disposing closes all connections.
 */
export function keptClients(): Disposable & {
  client(access: ClusterAccess, options?: KubeClientOptions): KubeClient
} {
  const { transport, ...connections } = connectionPool()
  return { ...connections, client: (access, options) => clientFrom(transport, access, options) }
}
