/** Options for running a program. Each option may be omitted. */
export interface RunOptions {
  /** Input for the program's stdin, which is closed after the input. Without input, stdin is `/dev/null`. */
  input?: string | Uint8Array | undefined
  /** Complete environment of the program: variables of this process are not added. Default: `process.env`. */
  env?: NodeJS.ProcessEnv | undefined
  cwd?: string | undefined
  /** Descriptors of this process that the program inherits as its descriptors 3, 4, … Default: none. */
  inherit?: readonly number[] | undefined
  /** AbortSignal that ends the program's whole process group. */
  signal?: AbortSignal | undefined
  /**
   * Deadline in milliseconds, after which the program's process group is ended. Default: no limit. In every time
   * option, a value above 2³¹ − 1 means no limit.
   */
  timeout?: number | undefined
  /** Milliseconds between SIGTERM and SIGKILL when the program is ended. Default: 1000. */
  killGrace?: number | undefined
  /** Milliseconds to wait after the program's exit for grandchildren that still hold its pipes. Default: 500. */
  waitDelay?: number | undefined
  /** Limit in bytes for each of stdout and stderr. A program that prints more is ended. Default: 64 MiB. */
  maxOutput?: number | undefined
  /**
   * Destination of the program's stderr: `capture` collects the output. `inherit` prints it to this process's stderr,
   * and collects nothing. A function gets each chunk; the output is collected too.
   */
  stderr?: 'capture' | 'inherit' | ((chunk: Uint8Array) => void) | undefined
}

/** Result of a program. A {@link RunError} has the same members. */
export interface RunResult {
  /** Command line of the program as text, quoted for a shell. */
  command: string
  argv: readonly string[]
  /** Exit code of the program. `null` if a signal ended the program, or if it did not start. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  durationMs: number
  timedOut: boolean
  aborted: boolean
  failed: boolean
}

/** Running program, returned by `start`. */
export interface Started {
  /** Process ID of the program. If the program could not be started, the ID is `undefined`, and `done` rejects. */
  readonly pid: number | undefined
  /**
   * Promise of the program's result. Settles when the program has exited and its pipes are drained. Rejects with a
   * `RunError`.
   */
  readonly done: Promise<RunResult>
  /** Sends a signal to the program's whole process group. Default: SIGTERM. */
  kill(signal?: NodeJS.Signals): void
}
