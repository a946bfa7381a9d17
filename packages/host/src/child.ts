import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/** Child process that this package has started. */
export interface Child {
  /** Process ID of the child; `undefined` if the program did not start. */
  readonly pid: number | undefined
  /** Closes the pipes of a child, so that a grandchild cannot keep this process waiting. */
  release(): void
}

/** Callbacks for the events of a child process. `spawn` returns before the first callback is called. */
export interface ChildEvents {
  stdout(chunk: Uint8Array): void
  stderr(chunk: Uint8Array): void
  /** Called when the child process has exited. Its pipes may still hold output. */
  exit(exitCode: number | null, signal: NodeJS.Signals | null): void
  /** Called when the child process has exited and its pipes are drained. */
  close(exitCode: number | null, signal: NodeJS.Signals | null): void
  error(error: unknown): void
}

/** Options for starting a child process. */
export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string | undefined
  /** Input for the program's stdin. Without input, stdin is `/dev/null`. The program need not read all of the input. */
  readonly input: string | Uint8Array | undefined
  readonly stderr: 'pipe' | 'inherit'
  readonly inherit: readonly number[]
}

/** Starts a program in a process group of its own. May throw or emit `error`. */
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
    // Ignores EPIPE on the child's stdin. A program that does not read its stdin has not failed.
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
    // Ignores errors of the pipe, which may come after the child's exit. The output received before stays valid.
  })
  stream?.on('data', onChunk)
}
