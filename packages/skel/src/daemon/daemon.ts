import type { NetnsPort } from '../io.ts'
import type { StateFolder } from '../state/state-folder.ts'

/** Options of a daemon. */
export interface DaemonOptions {
  /**
   * Absolute path of the socket. Its folder is created with mode 0700; a folder that other users can write to is
   * rejected.
   */
  readonly socket: string
  /** Accepts calls from the start. Default: true. See {@link Daemon.setReady}. */
  readonly ready?: boolean
  /** Milliseconds for one call. Default: the plugin's own timeout. */
  readonly timeout?: number
  /** Milliseconds that `stop` waits for running calls before it aborts them. Default: 10 000. */
  readonly grace?: number
  /** Maximum size of a request in bytes. Default: 4 MiB. */
  readonly maxBody?: number
  /** Variables of `c.env` besides the CNI variables of the call, such as a `PATH` for delegates. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** An abort of this signal stops the daemon, like `stop`. */
  readonly signal?: AbortSignal
  /** Opens network namespaces. Default: this machine's. */
  readonly netns?: NetnsPort
  /** Opens the folder of the plugin's `state`. Default: a folder of this machine. */
  stateFolder?(path: string): StateFolder
  /** Receives each log line, newline included. Default: writes to the process's stderr. */
  stderr?(line: string): void
}

/** A running daemon. */
export interface Daemon extends AsyncDisposable {
  /** Path of the socket. */
  readonly socket: string
  /** True if the daemon accepts calls. */
  readonly isReady: boolean
  /** Number of running calls. */
  readonly calls: number
  /** Accepts calls, or makes shims wait. DEL is always accepted. */
  setReady(ready: boolean): void
  /**
   * Stops the daemon gracefully. Never rejects; later calls return the same promise.
   * 1. `/readyz` fails, and shims wait for a successor. DEL is still served.
   * 2. Running calls get the grace period, then are aborted and undone.
   * 3. The socket is removed.
   */
  stop(): Promise<void>
}
