import { stopOnSignals } from '../stop-on-signals.ts'
import { atStart } from './at-start.ts'

/** Environment, output streams and process signals of a command-line program. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>
  stdout(text: string): void
  stderr(text: string): void
  /** True if stdout is a terminal and `NO_COLOR` is not set. */
  readonly colour: boolean
  /** True if stderr is a terminal and `NO_COLOR` is not set. */
  readonly stderrColour: boolean
  /** True if progress output may overwrite its earlier line, because stderr is a terminal. */
  readonly progress: boolean
  /**
   * AbortSignal of the command. Aborts at the first SIGINT, SIGTERM or SIGHUP, or when the reader of stdout closes the
   * pipe. If a command never reads this member, SIGINT, SIGTERM and SIGHUP end the process as usual.
   */
  readonly signal: AbortSignal
}

/**
 * Runs a command as the main program of this process. The command ends without an error if the reader of stdout closes
 * early. Prints an unexpected error with its stack trace.
 *
 * @param run - runs the command with the arguments and the streams of the process; the promise resolves to the exit
 * code.
 * @example
 * ```ts
 * import { commandMain, versionText } from '@cni/host/cli'
 *
 * commandMain('my-command', async (argv, io) => {
 *   if (argv[0] === '--version') io.stdout(versionText('my-command'))
 *   return 0
 * })
 * ```
 */
export function commandMain(
  name: string,
  run: (argv: readonly string[], io: CommandIo) => Promise<number>,
  options: {
    /** Exit code of the command after an unexpected error. Default: 1. */
    readonly crashed?: number
    /**
     * Escapes or removes unsafe characters, such as control characters, in all text for stderr. Default: prints the
     * text unchanged.
     */
    readonly cleanStderr?: (text: string) => string
  } = {},
): void {
  atStart(() => runAsProcess(name, run, options))
}

// internal

function runAsProcess(
  name: string,
  run: Parameters<typeof commandMain>[1],
  options: NonNullable<Parameters<typeof commandMain>[2]>,
): void {
  const { crashed = 1, cleanStderr = (text) => text } = options
  const { env, stdout, stderr } = process
  const unread = new AbortController()
  let stop: AbortSignal | undefined
  stdout.on('error', () => unread.abort(new Error('the reader of stdout is gone')))
  stderr.on('error', () => {})
  const io: CommandIo = {
    env,
    stdout: (text) => {
      if (text !== '' && !unread.signal.aborted) stdout.write(text)
    },
    stderr: (text) => void stderr.write(cleanStderr(text)),
    get colour() {
      return stdout.isTTY === true && !env.NO_COLOR
    },
    get stderrColour() {
      return stderr.isTTY === true && !env.NO_COLOR
    },
    get progress() {
      return stderr.isTTY === true
    },
    get signal() {
      stop ??= AbortSignal.any([stopOnSignals((signal) => new Error(`${name} received ${signal}`)), unread.signal])
      return stop
    },
  }
  run(process.argv.slice(2), io).then(
    (code) => {
      process.exitCode ??= unread.signal.aborted ? 0 : code
    },
    (error: unknown) => {
      if (unread.signal.aborted) return
      io.stderr(`${name}: ${error instanceof Error ? error.stack : error}\n`)
      process.exitCode = crashed
    },
  )
}
