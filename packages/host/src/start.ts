import { existsSync } from 'node:fs'
import { argvText } from './argv-text.ts'
import { type ChildOptions, spawnChild } from './child.ts'
import { debugFor } from './debug/debug-for.ts'
import { DEFAULT_PATH, findExecutable } from './find-executable.ts'
import { isRunError, RunError } from './run-error.ts'
import type { RunOptions, RunResult, Started } from './run-types.ts'
import { supervise } from './supervise.ts'

/**
 * Starts a program without a shell, in its own process group. Returns at once, so callers may await the result outside
 * of `netns.run`. If a program cannot be started, `done` rejects; `start` itself never throws.
 *
 * @example
 * const child = start(['sleep', '60'], { timeout: 1000 })
 * await child.done.catch((error) => error.code)   // 'TIMEOUT'
 */
export function start(argv: readonly [string, ...string[]], options: RunOptions = {}): Started {
  const begun = performance.now()
  const describe = (part: Partial<RunResult>): Omit<RunResult, 'failed'> => ({
    command: argvText(argv),
    argv,
    exitCode: null,
    signal: null,
    stdout: '',
    stderr: '',
    timedOut: false,
    aborted: false,
    durationMs: performance.now() - begun,
    ...part,
  })
  const never = (code: RunError['code'], why: string, cause?: unknown) =>
    notStarted(new RunError(code, why, describe({ aborted: code === 'ABORTED' }), { cause }))

  if (options.signal?.aborted) return never('ABORTED', 'Command was aborted before it started', options.signal.reason)
  const env = options.env ?? process.env
  const [name, ...args] = argv
  const file = name.includes('/') ? name : findExecutable(name, env.PATH)
  if (file === undefined) return never('NOT_FOUND', `Command not found in ${env.PATH || DEFAULT_PATH}`)

  const given: ChildOptions = {
    env,
    cwd: options.cwd,
    input: options.input,
    stderr: options.stderr === 'inherit' ? 'inherit' : 'pipe',
    inherit: options.inherit ?? [],
  }
  try {
    const started = supervise((events) => spawnChild(file, args, given, events), options, {
      describe,
      spawnFailure: (error) => spawnFailure(error, describe({}), file, options.cwd),
    })
    const debug = debugFor('host')
    if (debug !== undefined) traceEnd(debug, started)
    return started
  } catch (error) {
    return notStarted(spawnFailure(error, describe({}), file, options.cwd))
  }
}

/** Traces the command and its result, but neither the command's stdin nor its environment. */
function traceEnd(debug: NonNullable<ReturnType<typeof debugFor>>, { pid, done }: Started): void {
  const ended = ({ command, exitCode, signal, durationMs }: RunResult | RunError): void =>
    debug('run', { command, pid, exitCode, signal: signal ?? undefined, ms: durationMs })
  done.then(ended, (error: unknown) => isRunError(error) && ended(error))
}

// Converts an exception of `spawn`. ENOENT and EACCES come later as `error` events.
function spawnFailure(
  error: unknown,
  result: Omit<RunResult, 'failed'>,
  file: string,
  cwd: string | undefined,
): RunError {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  const [code, why] = explain(errno, file, cwd)
  return new RunError(code, why, result, { cause: error })
}

function explain(errno: string, file: string, cwd: string | undefined): [RunError['code'], string] {
  if ((errno === 'ENOENT' || errno === 'ENOTDIR') && cwd !== undefined && !existsSync(cwd)) {
    return ['NOT_FOUND', `Command failed with ${errno}, its working directory ${JSON.stringify(cwd)} does not exist`]
  }
  switch (errno) {
    case 'ENOENT':
    case 'ENOTDIR':
      return existsSync(file)
        ? ['NOT_EXECUTABLE', `Command failed with ${errno}, its interpreter or loader is missing`]
        : ['NOT_FOUND', 'Command not found']
    case 'EACCES':
    case 'ENOEXEC':
    case 'EPERM':
      return ['NOT_EXECUTABLE', `Command failed with ${errno}, not executable`]
    case 'ETXTBSY':
      return ['BUSY', 'Command failed with ETXTBSY, its file is being written']
    default:
      return ['SPAWN', `Command failed with ${errno}, could not be started`]
  }
}

function notStarted(error: RunError): Started {
  const done = Promise.reject(error)
  // Handles the rejected promise `done` once, which prevents an unhandled rejection. A later await still gets the
  // error.
  done.catch(() => {})
  return { pid: undefined, done, kill: () => {} }
}
