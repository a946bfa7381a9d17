import type { ClusterAccess } from '../config/kubeconfig.ts'
import { keptConnections } from '../http/kept-connections.ts'
import { type KubeClient, type KubeClientOptions, kubeClient } from './client.ts'

/** Clients that leave their connections open to one another, for requests that may arrive twice without harm. */
export interface KeptClients extends Disposable {
  /** A client with the credentials of its time. */
  client(access: ClusterAccess, options?: Omit<KubeClientOptions, 'transport'>): KubeClient
}

/** No connection is open before the first request. Disposed of, none is kept any more. */
export function keptClients(): KeptClients {
  const { transport, ...connections } = keptConnections()
  return { ...connections, client: (access, options) => kubeClient(access, { ...options, transport }) }
}
