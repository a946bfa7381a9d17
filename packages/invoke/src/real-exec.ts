import { setTimeout as sleep } from 'node:timers/promises'
import { isRunError, type RunError, type RunResult, start } from '@cni/host'
import { debugFor } from '@cni/host/debug'
import { errnoOf } from '@cni/types'
import type { Exec, ExecOutcome, ExecRequest } from './exec.ts'
import { findInPath } from './find.ts'

type RealExecOptions = NonNullable<Parameters<typeof realExec>[0]>

const BUSY_PAUSE = 100

/**
 * Plugins as processes: no shell, no arguments, a process group each, which is killed as a whole when the deadline
 * passes or the caller gives up.
 *
 * @example
 * ```ts
 * const exec = realExec({ start: (argv, options) => netns.start(node, argv, options) })
 * await addPlugin('bridge', conf, call, { exec })
 * ```
 */
export function realExec(
  options: {
    /** Milliseconds to keep trying while the executable is being written ("text file busy"); default 5000. */
    readonly busyTimeout?: number
    /** Milliseconds between SIGTERM and SIGKILL when a plugin is ended; default that of `@cni/host`. */
    readonly killGrace?: number
    /** How a process is started; default `start` of `@cni/host`. `netns.start` runs plugins in another namespace. */
    readonly start?: typeof start
  } = {},
): Exec {
  return { find: findInPath, run: (request) => runPatiently(request, options) }
}

/** An installer may be replacing the executable this very moment: a fresh process each time, for a bounded time. */
async function runPatiently(request: ExecRequest, options: RealExecOptions): Promise<ExecOutcome> {
  const { busyTimeout = 5000 } = options
  const started = performance.now()
  for (;;) {
    const elapsed = performance.now() - started
    const timeout = request.timeout === undefined ? undefined : Math.max(1, request.timeout - elapsed)
    const outcome = await runOnce({ ...request, timeout }, options)
    const durationMs = performance.now() - started
    const next = durationMs + BUSY_PAUSE
    const patient = next <= busyTimeout && (request.timeout === undefined || next < request.timeout)
    if (outcome.stopped?.reason !== 'busy' || !patient) {
      const { exitCode, stopped } = outcome
      const command = request.env.CNI_COMMAND
      debugFor('invoke')?.('plugin', {
        path: request.path,
        command,
        exitCode,
        stopped: stopped?.reason,
        ms: durationMs,
      })
      return { ...outcome, durationMs }
    }
    await pause(request.signal)
  }
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(BUSY_PAUSE, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    // Aborted while waiting: the next start reports it like any other abort.
    if (!signal?.aborted) throw error
  }
}

async function runOnce(request: ExecRequest, options: RealExecOptions): Promise<ExecOutcome> {
  const { path, stdin, env, signal, timeout, stderr } = request
  try {
    // Without a slash the name would be looked up in PATH.
    const file = path.includes('/') ? path : `./${path}`
    const { killGrace, start: begin = start } = options
    return outcomeOf(await begin([file], { input: stdin, env: { ...env }, signal, timeout, stderr, killGrace }).done)
  } catch (error) {
    if (!isRunError(error)) throw error
    const stopped = stoppedBy(request, error)
    return stopped === undefined ? outcomeOf(error) : { ...outcomeOf(error), stopped }
  }
}

function stoppedBy(request: ExecRequest, error: RunError): ExecOutcome['stopped'] {
  const after = `${Math.round(error.durationMs)} ms`
  switch (error.code) {
    case 'TIMEOUT':
      return { reason: 'timeout', message: `not finished after ${after}, killed at the deadline`, cause: error }
    case 'ABORTED':
      return { ...abortedBy(request.signal, after), cause: error }
    case 'MAX_OUTPUT':
      return { reason: 'output', message: `printed too much, killed after ${after}`, cause: error }
    case 'BUSY':
      return { reason: 'busy', message: `${request.path} is being replaced (text file busy)`, cause: error }
    case 'NOT_FOUND':
    case 'NOT_EXECUTABLE':
    case 'SPAWN':
      return { reason: 'start', message: `fork/exec ${request.path}: ${errnoText(error)}`, cause: error }
    case 'EXIT':
    case 'SIGNAL':
      return undefined
  }
}

/** The operating system's words, which is what runtimes and their operators know. */
const ERRNO: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOEXEC: 'exec format error',
  E2BIG: 'argument list too long',
  EMFILE: 'too many open files',
  EAGAIN: 'resource temporarily unavailable',
  ENOMEM: 'cannot allocate memory',
}

function errnoText({ cause, message }: RunError): string {
  const errno = errnoOf(cause) ?? ''
  return ERRNO[errno] ?? (errno || message)
}

/** `AbortSignal.timeout` is a deadline as well. */
function abortedBy(signal: AbortSignal | undefined, after: string): { reason: 'timeout' | 'aborted'; message: string } {
  const reason: unknown = signal?.reason
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return { reason: 'timeout', message: `not finished after ${after}, killed at the deadline` }
  }
  const why = reason instanceof Error && reason.name !== 'AbortError' ? `: ${reason.message}` : ''
  return { reason: 'aborted', message: `killed after ${after} because the caller gave up${why}` }
}

function outcomeOf({ exitCode, signal, stdout, stderr, durationMs }: RunResult | RunError): ExecOutcome {
  return { exitCode, signal, stdout, stderr, durationMs }
}
