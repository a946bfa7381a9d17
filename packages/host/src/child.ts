import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/** Process that this package started, with the members by which the process is supervised. */
export interface Child {
  /** Process id. `undefined` if the program did not start; an `error` event then gives the reason. */
  readonly pid: number | undefined
  /** Closes this side of the child's pipes. A grandchild that still holds the other ends then causes no wait. */
  release(): void
}

/** Events of a child. They are emitted after `spawn` has returned. */
export interface ChildEvents {
  stdout(chunk: Uint8Array): void
  stderr(chunk: Uint8Array): void
  /** The child has exited. Its pipes may still hold output. */
  exit(exitCode: number | null, signal: NodeJS.Signals | null): void
  /** The child has exited and its pipes are drained. */
  close(exitCode: number | null, signal: NodeJS.Signals | null): void
  error(error: unknown): void
}

/** Options for starting a child. */
export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string | undefined
  /** Input for stdin. Without it, stdin is `/dev/null`. The program need not read all of it. */
  readonly input: string | Uint8Array | undefined
  readonly stderr: 'pipe' | 'inherit'
  readonly inherit: readonly number[]
}

/** Starts a program in a process group of its own. Throws, or emits `error`, if it cannot be started. */
export function spawnChild(
  file: string,
  args: readonly string[],
  { env, cwd, input, stderr, inherit }: ChildOptions,
  events: ChildEvents,
): Child {
  const child = spawn(file, args, {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', stderr, ...inherit],
  })
  child.on('error', events.error)
  child.once('exit', events.exit)
  child.once('close', events.close)
  listen(child.stdout, events.stdout)
  listen(child.stderr, events.stderr)
  if (input !== undefined) {
    // Ignores EPIPE: a program need not read its stdin. Its exit code shows the result.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  }
  return {
    pid: child.pid,
    release() {
      child.stdin?.destroy()
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
  }
}

function listen(stream: Readable | null, onChunk: (chunk: Uint8Array) => void): void {
  stream?.on('error', () => {
    // The pipe to the child was destroyed after the child's exit. Keeps the output read so far.
  })
  stream?.on('data', onChunk)
}
