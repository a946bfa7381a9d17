import { setTimeout as sleep } from 'node:timers/promises'
import { isRunError, type RunError, type RunResult, start } from '@cni/host'
import { debugFor } from '@cni/host/debug'
import { errnoOf } from '@cni/types'
import type { Exec, ExecOutcome, ExecRequest } from './exec.ts'
import { findInPath } from './find.ts'

type RealExecOptions = NonNullable<Parameters<typeof realExec>[0]>

const BUSY_PAUSE = 100

/**
 * Runs each plugin as a process with its own process group. The deadline or an abort kills the whole group.
 *
 * @example
 * ```ts
 * const exec = realExec({ start: (argv, options) => netns.start(node, argv, options) })
 * await addPlugin('bridge', conf, call, { exec })
 * ```
 */
export function realExec(
  options: {
    /** Milliseconds to retry while another process writes the plugin's executable ("text file busy"). Default: 5000. */
    readonly busyTimeout?: number
    /** Milliseconds between SIGTERM and SIGKILL for a plugin. Default: the value of `@cni/host`. */
    readonly killGrace?: number
    /**
     * Function that starts a process. Default: `start` of `@cni/host`. `netns.start` runs plugins in another network
     * namespace.
     */
    readonly start?: typeof start
  } = {},
): Exec {
  return { find: findInPath, run: (request) => runWithRetries(request, options) }
}

/** Runs a plugin. While the plugin's executable is being replaced ("text file busy"), retries for a limited time. */
async function runWithRetries(request: ExecRequest, options: RealExecOptions): Promise<ExecOutcome> {
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
    // Ignores the error if an abort ended the pause. The next attempt to start the plugin reports the abort.
    if (!signal?.aborted) throw error
  }
}

async function runOnce(request: ExecRequest, options: RealExecOptions): Promise<ExecOutcome> {
  const { path, stdin, env, signal, timeout, stderr } = request
  try {
    // A start by the bare name would search the folders of PATH.
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

/** Messages of the operating system for error codes. Runtimes print these texts, so operators know them. */
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

/** Returns the reason why a plugin was killed: the deadline, or an abort by the caller. */
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
