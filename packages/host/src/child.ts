import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

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
    // EPIPE: a program need not read its stdin, its exit code tells how it went.
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
    // a pipe destroyed after the exit: what was read is kept
  })
  stream?.on('data', onChunk)
}
