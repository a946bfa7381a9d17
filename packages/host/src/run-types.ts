/** How to run a program. Everything is optional. */
export interface RunOptions {
  /** Written to the program's stdin, which is then closed. Without it stdin is `/dev/null`. */
  input?: string | Uint8Array | undefined
  /** The complete environment, not an addition. Default: `process.env`. */
  env?: NodeJS.ProcessEnv | undefined
  cwd?: string | undefined
  /** Descriptors of ours that the program inherits, as its descriptors 3, 4, … Default: none. */
  inherit?: readonly number[] | undefined
  /** Aborting it ends the program's whole process group. */
  signal?: AbortSignal | undefined
  /** Milliseconds until the process group is ended. Default: none. Of this and the next two, more than 2³¹ − 1 is never. */
  timeout?: number | undefined
  /** Milliseconds between SIGTERM and SIGKILL. Default: 1000. */
  killGrace?: number | undefined
  /** Milliseconds to wait, after the program's exit, for grandchildren that still hold its pipes. Default: 500. */
  waitDelay?: number | undefined
  /** Bytes of stdout, and of stderr, after which the program is ended. Default: 64 MiB. */
  maxOutput?: number | undefined
  /** `inherit`: our own stderr, nothing captured. A function: captured, and called with each chunk as it comes. */
  stderr?: 'capture' | 'inherit' | ((chunk: Uint8Array) => void) | undefined
}

/** What became of a program. A {@link RunError} has the same members. */
export interface RunResult {
  /** The command line, quoted for reading. */
  command: string
  argv: readonly string[]
  /** `null` when a signal ended it, or when it never started. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  durationMs: number
  timedOut: boolean
  aborted: boolean
  failed: boolean
}

/** A program that runs, from `start`. */
export interface Started {
  /** `undefined` when it could not be started; `done` then rejects. */
  readonly pid: number | undefined
  /** Settles when the program has ended and its pipes are drained. Rejects with a `RunError`. */
  readonly done: Promise<RunResult>
  /** Signals the whole process group. Default: SIGTERM. */
  kill(signal?: NodeJS.Signals): void
}
