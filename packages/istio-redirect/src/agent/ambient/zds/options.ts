import type { Netns } from '@cni/netns'
import type { UnixConnection } from '@cni/netns/unix'
import type { ScopedLog } from '../../part/services.ts'
import type { KnownPod, Workload } from '../namespace/netns-cache.ts'

/** How {@link startZds} listens, and what it tells. */
export interface ZdsOptions {
  /** The socket's file, whose folder exists. What is there is replaced, unless it is a folder. */
  readonly path: string
  /**
   * The pods that a ztunnel is told when it connects, each with a lease of its namespace that is disposed of here.
   * A pod without one is only kept by a ztunnel that has it already.
   */
  readonly snapshot: () => readonly KnownPod[]
  /** What a snapshot waits for, as after a start nobody knows yet which pods there are. A ztunnel waits as long. */
  readonly ready?: Promise<unknown> | undefined
  readonly log: ScopedLog
  /** Told of what happens, for metrics. */
  readonly observe?: ((event: ZdsEvent) => void) | undefined
  /** How long a ztunnel may take for one answer, in milliseconds. Default 4000: the plugin waits 5 s for the agent. */
  readonly answerMs?: number | undefined
  /** How long a ztunnel may take to say hello, in milliseconds. Default 5000. */
  readonly helloMs?: number | undefined
  /** Who may connect. Default: root. */
  readonly allow?: ((peer: UnixConnection['peer']) => boolean) | undefined
}

/** What happened between the agent and its ztunnels. */
export type ZdsEvent =
  /** A ztunnel has come so far that it counts, or has gone; `connected` is how many there are now. */
  | { readonly type: 'connections'; readonly connected: number }
  /** A ztunnel has answered, or did not. */
  | { readonly type: 'add' | 'del'; readonly result: 'ok' | 'refused' | 'failed'; readonly durationMs: number }
  /** A ztunnel has all pods. */
  | { readonly type: 'snapshot'; readonly pods: number; readonly durationMs: number }

/** A pod that comes into the mesh. */
export interface ZdsPod {
  readonly uid: string
  readonly workload: Workload
  /** Open until {@link ZdsServer.add} has settled. */
  readonly netns: Netns
}

/** A ztunnel at the other end. */
export interface ZdsConnection {
  /** For logs: a number that no other connection of this server has. */
  readonly id: number
  readonly pid: number
  /** `live`: it has said hello, and has all pods. */
  readonly state: 'greeting' | 'snapshot' | 'live'
  /** Whether pods are added to it: of those that are live it connected last. */
  readonly newest: boolean
}

/** The agent's side of ZDS, by which the ztunnels of a node learn of its pods. */
export interface ZdsServer extends AsyncDisposable {
  /**
   * Hands a pod to the newest ztunnel, and settles when that has answered. The pod is part of `snapshot()` before: then
   * whichever ztunnel connects meanwhile has it, too. The same pod again is no fault, with another namespace either.
   *
   * Rejects with a {@link ZdsError}, or with the signal's reason; ztunnel may have the pod all the same.
   */
  add(pod: ZdsPod, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /**
   * Tells every ztunnel that a pod is gone, and settles when all have answered. The pod is not part of `snapshot()` any
   * more: whoever does not answer is disconnected, and learns it when it comes back, so that this never fails.
   */
  remove(uid: string): Promise<void>
  /** In the order in which they connected. */
  connections(): readonly ZdsConnection[]
  /** Disconnects all, and removes the file. What waits for an answer rejects. A second call does nothing. */
  close(): Promise<void>
}
