import { type CommandLine, parseCommandLine } from './command-line.ts'
import { execute, type Progress } from './commands.ts'
import type { CnitoolIo } from './io.ts'
import { hintsFor, reportJson, reportText } from './report.ts'
import { type Places, placesOf } from './settings.ts'
import { HELP } from './usage.ts'

export type { CnitoolIo } from './io.ts'

/**
 * The `cnitool` command without its process: arguments and environment in, exit code out.
 *
 * @example
 * ```ts
 * const code = await runCnitool(['add', 'pods', '/run/netns/test'], { ...io, env: { CNI_PATH: '/usr/lib/cni' } })
 * ```
 */
export async function runCnitool(argv: readonly string[], io: CnitoolIo): Promise<0 | 1> {
  const progress: Progress = {}
  let line: CommandLine | undefined
  let places: Places | undefined
  try {
    line = parseCommandLine(argv)
    if (line === undefined) {
      io.stdout(HELP)
      return 0
    }
    places = placesOf(line, io)
    io.stdout(await execute(line, places, io, progress))
    return 0
  } catch (error) {
    const hints = hintsFor(error, places, progress)
    if (line?.command === 'add' && progress.list !== undefined) hints.push(undoHint(argv))
    // The flag may stand after the mistake that kept the command line from being read.
    const json = line?.flags.json ?? argv.includes('--json')
    if (json) io.stdout(reportJson(error, hints, progress.list?.conflist.cniVersion))
    else io.stderr(reportText(error, hints, io.colour ?? false))
    return 1
  }
}

/** The original leaves a half attached container to its user, without a word. */
function undoHint(argv: readonly string[]): string {
  const del = argv.with(argv.indexOf('add'), 'del').map(quoteArgument).join(' ')
  return `what was done up to here stays; undo it with: cnitool ${del}`
}

function quoteArgument(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
