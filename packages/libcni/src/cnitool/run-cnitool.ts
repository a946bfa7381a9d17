import { argvText } from '@cni/host'
import { isUsageError, versionText } from '@cni/host/cli'
import { realExec } from '@cni/invoke'
import { CURRENT_VERSION } from '@cni/types'
import { type ExecutionReport, executionReport } from '../reports/execution-report.ts'
import { observeExec } from '../reports/observe-exec.ts'
import { type CommandLine, parseCommandLine } from './command-line.ts'
import { execute, type Progress } from './commands.ts'
import type { CnitoolIo } from './io.ts'
import { errorDocument, hintsFor, reportJson, reportText } from './report.ts'
import { type Settings, settingsOf } from './settings.ts'
import { totalText, traceJson, traceText } from './trace-report.ts'
import { helpText } from './usage.ts'

export type { CnitoolIo } from './io.ts'

/**
 * Runs the `cnitool` command inside this process. Takes arguments and environment, and returns the exit code.
 *
 * @example
 * ```ts
 * const code = await runCnitool(['add', 'pods', '/run/netns/test'], { ...io, env: { CNI_PATH: '/usr/lib/cni' } })
 * ```
 */
export async function runCnitool(argv: readonly string[], io: CnitoolIo): Promise<0 | 1 | 2> {
  const progress: Progress = {}
  let line: CommandLine | undefined
  let settings: Settings | undefined
  try {
    const parsed = parseCommandLine(argv)
    if (parsed === 'version') {
      io.stdout(versionText('cnitool', `CNI ${CURRENT_VERSION}`))
      return 0
    }
    if ('help' in parsed) {
      io.stdout(helpText(parsed.help === 'all' ? undefined : parsed.help))
      return 0
    }
    line = parsed
    const where = settingsOf(parsed, io)
    settings = where
    io.stdout(await traced(parsed, io, progress, (watched) => execute(parsed, where, watched, progress)))
    return 0
  } catch (error) {
    const hints = hintsFor(error, settings, progress)
    if (line?.command === 'add' && !line.dryRun && progress.list !== undefined) hints.push(undoHint(argv))
    const cniVersion = progress.list?.conflist.cniVersion
    // Searches the arguments of an invalid command line: the parser may have stopped before `--json`.
    const json = line?.flags.json ?? argv.includes('--json')
    if (json && progress.trace) {
      io.stdout(traceJson({ ...progress.trace(), error: errorDocument(error, hints, cniVersion) }))
    } else if (json) io.stdout(reportJson(error, hints, cniVersion))
    else io.stderr(reportText(error, hints, io.colour ?? false))
    return isUsageError(error) ? 2 : 1
  }
}

/** Runs a command. With `--trace`, also reports the plugin calls. */
async function traced(
  { command, dryRun, flags }: CommandLine,
  io: CnitoolIo,
  progress: Progress,
  body: (io: CnitoolIo) => Promise<string>,
): Promise<string> {
  if (dryRun || !(flags.trace || flags.verbose)) return body(io)
  const started = performance.now()
  const plugins: ExecutionReport[] = []
  const exec = observeExec(io.exec ?? realExec(), (execution) => {
    const report = executionReport(execution)
    plugins.push(report)
    if (!flags.json) io.stderr(traceText(report))
  })
  progress.trace = () => {
    const network = progress.list?.conflist.name
    return { command, network, durationMs: performance.now() - started, plugins }
  }
  try {
    const printed = await body({ ...io, exec })
    if (!flags.json) return printed
    return traceJson({ ...progress.trace(), ...(printed === '' ? {} : { result: JSON.parse(printed) }) })
  } finally {
    if (!flags.json) io.stderr(totalText(performance.now() - started, plugins))
  }
}

/** Advice to undo a failed ADD, which may leave the container half attached. */
function undoHint(argv: readonly string[]): string {
  const del = argvText(argv.with(argv.indexOf('add'), 'del'))
  return `the changes of the plugins before remain; undo them with: cnitool ${del}`
}
