import type { NetnsPort } from '../io.ts'
import type { StateFolder } from '../state/state-folder.ts'

/** Options of a plugin daemon, a long-lived process that serves CNI calls. */
export interface DaemonOptions {
  /**
   * Absolute path of the daemon's socket. The daemon creates the folder with mode 0700. It rejects a folder that other
   * users can write to.
   */
  readonly socket: string
  /** True if the daemon accepts CNI calls from the start. Default: true. See {@link Daemon.setReady}. */
  readonly ready?: boolean
  /** Milliseconds for one CNI call. Default: the plugin's own timeout. */
  readonly timeout?: number
  /** Milliseconds that `stop` waits for running CNI calls before it aborts them. Default: 10 000. */
  readonly grace?: number
  /** Maximum size of an HTTP request to the daemon in bytes. Default: 4 MiB. */
  readonly maxBody?: number
  /**
   * Environment variables that handlers get in `c.env` besides the call's CNI variables, such as a `PATH` for
   * delegates.
   */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** AbortSignal that stops the daemon as `stop` does. */
  readonly signal?: AbortSignal
  /** Opens network namespaces for the daemon's calls. Default: opens the real network namespaces of the node. */
  readonly netns?: NetnsPort
  /** Opens the folder of the plugin's `state`. Default: a folder on disk, not in memory. */
  stateFolder?(path: string): StateFolder
  /** Receives each log line of the daemon's calls, newline included. Default: writes to the process's stderr. */
  stderr?(line: string): void
}

/** A running plugin daemon. */
export interface Daemon extends AsyncDisposable {
  /** Path of the daemon's socket. */
  readonly socket: string
  /** True if the daemon accepts CNI calls. */
  readonly isReady: boolean
  /** Number of CNI calls that the daemon is performing. */
  readonly calls: number
  /** Makes the daemon accept CNI calls (true), or makes shims wait (false). The daemon always accepts DEL. */
  setReady(ready: boolean): void
  /**
   * Stops the daemon gracefully. Never rejects; later calls of `stop` return the same promise.
   * 1. `/readyz` fails, and shims wait for another daemon. DEL is still served.
   * 2. Running CNI calls may finish within the grace period. At its end they are aborted and undone.
   * 3. The daemon's socket is removed.
   */
  stop(): Promise<void>
}
