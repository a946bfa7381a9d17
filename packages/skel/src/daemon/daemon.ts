import type { NetnsPort } from '../io.ts'
import type { StateFolder } from '../state/state-folder.ts'

/** How a daemon serves. */
export interface DaemonOptions {
  /** Absolute path of the socket. Its folder is made with mode 0700; one that others may write to is refused. */
  readonly socket: string
  /** Whether calls are accepted from the start; true when not said. See {@link Daemon.setReady}. */
  readonly ready?: boolean
  /** Milliseconds one call may take; the plugin's own when not said. */
  readonly timeout?: number
  /** Milliseconds `stop` waits for calls in flight before it interrupts them; 10 000 when not said. */
  readonly grace?: number
  /** Bytes of one request; 4 MiB when not said. */
  readonly maxBody?: number
  /** What handlers see in `c.env` besides the CNI variables of the call, such as a `PATH` for delegates. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Stops it, as `stop` does. */
  readonly signal?: AbortSignal
  /** How namespaces are opened; the machine's own when not said. */
  readonly netns?: NetnsPort
  /** Opens the folder of the plugin's `state`. Default: a folder of this machine. */
  stateFolder?(path: string): StateFolder
  /** Gets each log line, newline included; the process's stderr when not said. */
  stderr?(line: string): void
}

/** A running daemon. */
export interface Daemon extends AsyncDisposable {
  /** The path of the socket. */
  readonly socket: string
  /** Whether it accepts calls. */
  readonly isReady: boolean
  /** How many calls are in flight. */
  readonly calls: number
  /** Accepts calls, or tells them to wait. DEL is always accepted. */
  setReady(ready: boolean): void
  /**
   * Ends gracefully: `/readyz` fails and shims wait for a successor, DEL is still served, calls in flight get the grace
   * and are then interrupted and undone; last the socket goes. Never rejects; later calls give the same promise.
   */
  stop(): Promise<void>
}
