import type { Child, ChildEvents } from './child.ts'
import { forget, remember, signalGroup } from './process-group.ts'
import { RunError } from './run-error.ts'
import type { RunOptions, RunResult } from './run-types.ts'

/** Largest delay of a Node.js timer; a larger delay would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

type Stop = 'TIMEOUT' | 'ABORTED' | 'MAX_OUTPUT'

interface Supervision {
  describe(part: Partial<RunResult>): Omit<RunResult, 'failed'>
  spawnFailure(error: unknown): RunError
}

/** Starts a child, collects its output, and ends its process group on a timeout. */
export function supervise(
  spawn: (events: ChildEvents) => Child,
  options: RunOptions,
  { describe, spawnFailure }: Supervision,
) {
  const { timeout, signal, killGrace = 1000, waitDelay = 500, maxOutput = 64 * 1024 * 1024 } = options
  const timers: NodeJS.Timeout[] = []
  const { promise: done, resolve, reject } = withResolvers<RunResult>()
  let stopped: { why: Stop; cause?: unknown } | undefined
  let ended: { exitCode: number | null; signal: NodeJS.Signals | null } | undefined
  let settled = false

  const live = typeof options.stderr === 'function' ? options.stderr : undefined
  const stdout = collector(maxOutput, () => stop('MAX_OUTPUT'))
  const stderr = collector(maxOutput, () => stop('MAX_OUTPUT'), live)

  const child = spawn({
    stdout: stdout.add,
    stderr: stderr.add,
    error(error) {
      // Ignores an `error` event after the start, because the child's `exit` event comes later.
      if (pid === undefined) settle(error)
    },
    exit(exitCode, signal) {
      ended = { exitCode, signal }
      // Settles the result without `close`, because a grandchild may keep the pipes open.
      // Before that, `setImmediate` lets Node.js read the pipes, which may hold output if this process was busy.
      after(waitDelay, () => setImmediate(settle))
    },
    close(exitCode, signal) {
      ended ??= { exitCode, signal }
      settle()
    },
  })
  const { pid } = child
  if (pid !== undefined) remember(pid)
  if (timeout !== undefined) after(timeout, () => stop('TIMEOUT'))
  signal?.addEventListener('abort', abort, { once: true })
  // The promise `done` may reject before the caller awaits it. This empty handler prevents an unhandled rejection.
  done.catch(() => {})
  return { pid, done, kill: (name: NodeJS.Signals = 'SIGTERM') => pid !== undefined && signalGroup(pid, name) }

  function after(milliseconds: number, act: () => void): void {
    if (milliseconds > MAX_TIMER_MS) return
    timers.push(setTimeout(act, milliseconds))
  }

  function abort(): void {
    stop('ABORTED', signal?.reason)
  }

  function stop(why: Stop, cause?: unknown) {
    if (stopped !== undefined || settled) return
    stopped = { why, cause }
    if (pid === undefined) return
    if (ended) return settle()
    signalGroup(pid, 'SIGTERM')
    after(killGrace, () => signalGroup(pid, 'SIGKILL'))
  }

  function settle(failure?: unknown) {
    if (settled) return
    settled = true
    for (const timer of timers) clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    if (pid !== undefined) {
      // Kills the remaining processes of the group. A grandchild that ignores SIGTERM must not outlive the program.
      if (stopped) signalGroup(pid, 'SIGKILL')
      forget(pid)
    }
    child.release()
    if (failure !== undefined) return reject(spawnFailure(failure))
    const result = describe({
      exitCode: ended?.exitCode ?? null,
      signal: ended?.signal ?? null,
      stdout: stdout.text(),
      stderr: stderr.text(),
      timedOut: stopped?.why === 'TIMEOUT',
      aborted: stopped?.why === 'ABORTED',
    })
    if (stopped) reject(new RunError(stopped.why, sentence(stopped.why, options), result, { cause: stopped.cause }))
    else if (result.signal) reject(new RunError('SIGNAL', `Command was killed with ${result.signal}`, result))
    else if (result.exitCode !== 0)
      reject(new RunError('EXIT', `Command failed with exit code ${result.exitCode}`, result))
    else resolve({ ...result, failed: false })
  }
}

function sentence(why: Stop, options: RunOptions): string {
  switch (why) {
    case 'TIMEOUT':
      return `Command timed out after ${options.timeout} milliseconds`
    case 'ABORTED':
      return 'Command was aborted'
    case 'MAX_OUTPUT':
      return 'Command printed too much and was ended'
  }
}

function collector(limit: number, overflow: () => void, live?: (chunk: Uint8Array) => void) {
  const chunks: Uint8Array[] = []
  let size = 0
  return {
    add(chunk: Uint8Array): void {
      if (size > limit) return
      size += chunk.length
      chunks.push(size > limit ? chunk.subarray(0, chunk.length - (size - limit)) : chunk)
      live?.(chunk)
      if (size > limit) overflow()
    },
    text: () => Buffer.concat(chunks).toString(),
  }
}

/** Replacement for `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}
