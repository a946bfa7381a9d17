import type { Netns } from '@cni/netns'
import type { UnixConnection } from '@cni/netns/unix'
import type { ScopedLog } from '../../part/services.ts'
import type { KnownPod, Workload } from '../namespace/netns-cache.ts'

/** Options of {@link startZds}, the server for ztunnels. */
export interface ZdsOptions {
  /**
   * Path of the Unix socket for ztunnels. The folder must exist. An existing file at the path is replaced, but not a
   * folder.
   */
  readonly path: string
  /**
   * Returns all pods of the mesh, for a ztunnel that connects. Each pod has a counted reference to its network
   * namespace, which the server disposes of.
   *
   * A pod without a known namespace has no reference, and the agent sends only the pod's UID. A ztunnel that already
   * has the pod keeps it.
   */
  readonly snapshot: () => readonly KnownPod[]
  /**
   * Resolves when the agent knows the enrolled pods. A ztunnel that connects earlier gets its snapshot of all pods only
   * after this promise resolves.
   */
  readonly ready?: Promise<unknown> | undefined
  readonly log: ScopedLog
  /** Receives events of the server for ztunnels, for metrics. */
  readonly observe?: ((event: ZdsEvent) => void) | undefined
  /**
   * Deadline in milliseconds for one answer of a ztunnel. Default: 4000, because the plugin waits 5 s for the agent.
   */
  readonly answerMs?: number | undefined
  /** Deadline in milliseconds for the hello message of a ztunnel that connects. Default: 5000. */
  readonly helloMs?: number | undefined
  /** Decides if a process may connect as a ztunnel. Default: only processes of root may connect. */
  readonly allow?: ((peer: UnixConnection['peer']) => boolean) | undefined
}

/** Event of the server from which ztunnels get the node's pods. */
export type ZdsEvent =
  /**
   * The number of ztunnels that have all pods has changed. The new number is `connected`. Cause: a ztunnel has received
   * all pods, or a ztunnel with all pods has disconnected.
   */
  | { readonly type: 'connections'; readonly connected: number }
  /** A ztunnel answered the addition or removal of a pod, or did not answer. */
  | { readonly type: 'add' | 'del'; readonly result: 'ok' | 'refused' | 'failed'; readonly durationMs: number }
  /** A ztunnel has received the snapshot of all pods. */
  | { readonly type: 'snapshot'; readonly pods: number; readonly durationMs: number }

/** Pod that the agent announces to ztunnel as a new member of the mesh. */
export interface ZdsPod {
  readonly uid: string
  readonly workload: Workload
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
  /** True if the agent sends new pods over this connection, because it is the newest connection in the phase `live`. */
  readonly newest: boolean
}

/** Server for ztunnels. By the protocol ZDS, ztunnels get the pods of a node with their network namespaces. */
export interface ZdsServer extends AsyncDisposable {
  /**
   * Sends a pod to the newest ztunnel, and waits for the ztunnel's answer. The caller adds the pod to `snapshot()`
   * before the call. Reason: a ztunnel that connects during the call must also get the pod. A pod may be sent again,
   * even with another namespace.
   *
   * Rejects with a {@link ZdsError} or with the signal's reason. ztunnel may have the pod even after a rejection.
   */
  add(pod: ZdsPod, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /**
   * Sends the removal of a pod to all ztunnels, and waits for their answers. Before the call, the caller removes the
   * pod from `snapshot()`. A ztunnel that does not answer is disconnected; when it reconnects, it gets a new snapshot.
   * Never rejects.
   */
  remove(uid: string): Promise<void>
  /** Connections of ztunnels, in the order in which they were opened. */
  connections(): readonly ZdsConnection[]
  /**
   * Closes all connections of ztunnels, and removes the socket. Waiting calls of `add` reject. A second call does
   * nothing.
   */
  close(): Promise<void>
}
