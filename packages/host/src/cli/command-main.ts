import { stopOnSignals } from '../stop-on-signals.ts'
import { atStart } from './at-start.ts'

/** What a command gets of its process. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>
  stdout(text: string): void
  stderr(text: string): void
  /** Colour on stdout: it is a terminal, and `NO_COLOR` is not set. */
  readonly colour: boolean
  /** The same for stderr. */
  readonly stderrColour: boolean
  /** stderr is a terminal: progress may overwrite its own line. */
  readonly progress: boolean
  /**
   * Aborts at the first SIGINT, SIGTERM or SIGHUP, and when nobody reads stdout any more. A command that never asks for
   * it is ended by a signal as any process is.
   */
  readonly signal: AbortSignal
}

/**
 * Runs a command as this process. A reader that closes early, such as `head`, ends it quietly; an error that the command
 * did not expect is printed with its stack.
 *
 * @param run - the command without its process: arguments in, exit code out.
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
    /** Exit code of an error that the command did not expect. Default: 1. */
    readonly crashed?: number
    /** What is done to everything on stderr; for commands that quote what strangers wrote. */
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
  stdout.on('error', () => unread.abort(new Error('nobody reads the output any more')))
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
