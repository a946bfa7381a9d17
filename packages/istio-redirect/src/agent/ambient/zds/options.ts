import type { Netns } from '@cni/netns'
import type { UnixConnection } from '@cni/netns/unix'
import type { WorkloadInfo } from '../../../zds/wire.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import type { KnownPod } from '../namespace/netns-cache.ts'

/** Options of {@link startZds}, the server for ztunnels. */
export interface ZdsOptions {
  /** Path of the Unix socket for ztunnels, in an existing folder. Existing files are replaced. */
  readonly path: string
  /** Lists all pods of the mesh with counted namespace references. The server disposes of the references. */
  readonly snapshot: () => readonly KnownPod[]
  /** Resolves when the agent knows the enrolled pods. Snapshots for ztunnels wait for this promise. */
  readonly ready?: Promise<unknown> | undefined
  readonly log: ScopedLog
  /** Receives events of the server for ztunnels, for metrics. */
  readonly observe?: ((event: ZdsEvent) => void) | undefined
  /** Deadline in milliseconds for a ztunnel's answer. Default: 4000, less than the plugin's deadline. */
  readonly answerMs?: number | undefined
  /** Deadline in milliseconds for the hello message of a ztunnel that connects. Default: 5000. */
  readonly helloMs?: number | undefined
  /** Decides if a process may connect as a ztunnel. Default: only processes of root may connect. */
  readonly allow?: ((peer: UnixConnection['peer']) => boolean) | undefined
}

/** Event of the server from which ztunnels get the node's pods. */
export type ZdsEvent =
  /** The number of ztunnels that have all pods has changed to `connected`. */
  | { readonly type: 'connections'; readonly connected: number }
  /** A ztunnel answered the removal of a pod, or did not answer. */
  | { readonly type: 'del' }

/** Pod that the agent announces to ztunnel as a new member of the mesh. */
export interface ZdsPod {
  readonly uid: string
  readonly workload: WorkloadInfo
  /** Network namespace of the pod. It must stay open until {@link ZdsServer.add} settles. */
  readonly netns: Netns
}

/** Connection between the agent and a ztunnel. */
export interface ZdsConnection {
  /** Number of the connection for logs, unique for this server. */
  readonly id: number
  readonly pid: number
  /** Phase of the connection. `live` means that the ztunnel has received all pods. */
  readonly state: 'greeting' | 'snapshot' | 'live'
  /** True for the newest connection, over which the agent sends new pods. */
  readonly newest: boolean
}

/** Server for ztunnels. By the protocol ZDS, ztunnels get the pods of a node with their network namespaces. */
export interface ZdsServer extends AsyncDisposable {
  /**
   * Sends a pod to the newest ztunnel. The result of `snapshot()` must already contain the pod, for ztunnels that
   * connect during the call.
   */
  add(pod: ZdsPod, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /** Sends a pod's removal to all ztunnels. The result of `snapshot()` must no longer contain the pod. */
  remove(uid: string): Promise<void>
  /** Lists the connections of ztunnels, oldest first. */
  connections(): readonly ZdsConnection[]
  /**
   * Closes all connections of ztunnels, and removes the socket. Waiting calls of `add` reject. A second call does
   * nothing.
   */
  close(): Promise<void>
}
