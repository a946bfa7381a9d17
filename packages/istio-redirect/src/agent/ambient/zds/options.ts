import type { Netns } from '@cni/netns'
import type { UnixConnection } from '@cni/netns/unix'
import type { ScopedLog } from '../../part/services.ts'
import type { KnownPod, Workload } from '../namespace/netns-cache.ts'

/** Options of {@link startZds}. */
export interface ZdsOptions {
  /** Path of the socket. Its folder must exist. An existing file is replaced, but not a folder. */
  readonly path: string
  /**
   * Returns the pods for a ztunnel that connects, each with a lease of its namespace. The server disposes of the
   * leases.
   *
   * A pod without a lease is sent without a namespace: the ztunnel only keeps the pod if it has the pod already.
   */
  readonly snapshot: () => readonly KnownPod[]
  /** Delays snapshots until the agent knows its pods after a start. A connected ztunnel waits. */
  readonly ready?: Promise<unknown> | undefined
  readonly log: ScopedLog
  /** Receives events for metrics. */
  readonly observe?: ((event: ZdsEvent) => void) | undefined
  /** Deadline of one answer of a ztunnel, in milliseconds. Default 4000, because the plugin waits 5 s for the agent. */
  readonly answerMs?: number | undefined
  /** Deadline of a ztunnel's hello, in milliseconds. Default 5000. */
  readonly helloMs?: number | undefined
  /** True for peers that may connect. Default: root. */
  readonly allow?: ((peer: UnixConnection['peer']) => boolean) | undefined
}

/** Event of the ZDS server. */
export type ZdsEvent =
  /** A ztunnel became live, or a live one disconnected. `connected` is the new number of live ztunnels. */
  | { readonly type: 'connections'; readonly connected: number }
  /** A ztunnel answered a request, or the request failed. */
  | { readonly type: 'add' | 'del'; readonly result: 'ok' | 'refused' | 'failed'; readonly durationMs: number }
  /** A ztunnel has received all pods. */
  | { readonly type: 'snapshot'; readonly pods: number; readonly durationMs: number }

/** Pod that joins the mesh. */
export interface ZdsPod {
  readonly uid: string
  readonly workload: Workload
  /** Namespace of the pod. It must stay open until {@link ZdsServer.add} settles. */
  readonly netns: Netns
}

/** Connection of a ztunnel. */
export interface ZdsConnection {
  /** Number for logs, unique for this server. */
  readonly id: number
  readonly pid: number
  /** `live` means that the ztunnel has sent its hello and received all pods. */
  readonly state: 'greeting' | 'snapshot' | 'live'
  /** True if new pods are sent to this connection: it is the newest live one. */
  readonly newest: boolean
}

/** Server side of ZDS, the protocol by which ztunnels get the pods of a node. */
export interface ZdsServer extends AsyncDisposable {
  /**
   * Sends a pod to the newest ztunnel and waits for its answer. The caller adds the pod to `snapshot()` first, so that
   * a
   * ztunnel that connects in the meantime gets it too. A repeated add is no error, even with another namespace.
   *
   * Rejects with a {@link ZdsError} or with the signal's reason. ztunnel may have the pod nevertheless.
   */
  add(pod: ZdsPod, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /**
   * Sends the removal of a pod to all ztunnels and waits for their answers. The caller removes the pod from
   * `snapshot()`
   * first. A ztunnel that does not answer is disconnected, and gets a new snapshot when it reconnects. Never rejects.
   */
  remove(uid: string): Promise<void>
  /** Connections in the order in which they were opened. */
  connections(): readonly ZdsConnection[]
  /** Closes all connections and removes the socket. Waiting requests reject. A second call does nothing. */
  close(): Promise<void>
}
