/** A process that was started, as far as supervising it needs. */
export interface Child {
  /** `undefined` when it never ran; an `error` event says why. */
  readonly pid: number | undefined
  /** Lets go of its pipes, so that a grandchild that holds their other ends keeps nobody waiting. */
  release(): void
}

/** What a child does. All of it comes later, never while it is being started. */
export interface ChildEvents {
  stdout(chunk: Uint8Array): void
  stderr(chunk: Uint8Array): void
  /** It has ended, its pipes may still hold output. */
  exit(exitCode: number | null, signal: NodeJS.Signals | null): void
  /** It has ended and its pipes are drained. */
  close(exitCode: number | null, signal: NodeJS.Signals | null): void
  error(error: unknown): void
}

/** What a child gets. */
export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string | undefined
  /** Without it stdin is `/dev/null`. A program that does not read all of it is no error. */
  readonly input: string | Uint8Array | undefined
  readonly stderr: 'pipe' | 'inherit'
  readonly inherit: readonly number[]
}

/** Starts a program in a process group of its own. Throws, or reports an `error`, when it cannot be started. */
export type SpawnChild = (file: string, args: readonly string[], options: ChildOptions, events: ChildEvents) => Child
