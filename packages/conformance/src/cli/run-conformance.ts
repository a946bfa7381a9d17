import { writeFileAtomic } from '@cni/host'
import { isUsageError, versionText } from '@cni/host/cli'
import { messageOf } from '@cni/types'
import type { Check } from '../check.ts'
import { allChecks } from '../checks.ts'
import { conformance } from '../conformance.ts'
import { type ConformanceError, isConformanceError } from '../errors.ts'
import type { Report } from '../model.ts'
import { renderReport } from '../report/render.ts'
import { type CommandLine, helpText, parseCommandLine } from './command-line.ts'

/** Output streams, terminal settings and abort signal of {@link runConformance}. */
export interface CliIo {
  stdout(text: string): void
  stderr(text: string): void
  /** True to print colours on stdout of `cni-conformance`. */
  readonly colour?: boolean | undefined
  /** True to print the name of the running check on stderr. Useful if stderr is a terminal. */
  readonly progress?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs the `cni-conformance` command inside this process. Uses no globals of the process.
 *
 * @returns exit code 0: the plugin conforms, 1: it does not conform, 2: wrong usage, 3: the suite could not run, 4:
 *   incomplete.
 * @example
 * ```ts
 * const code = await runConformance(['/usr/lib/cni/loopback', '--json'], io)
 * ```
 */
export async function runConformance(argv: readonly string[], io: CliIo): Promise<0 | 1 | 2 | 3 | 4> {
  let line: ReturnType<typeof parseCommandLine>
  try {
    line = parseCommandLine(argv)
  } catch (error) {
    if (!isUsageError(error)) throw error
    return usage(error.message, io)
  }
  if (line === 'help') {
    io.stdout(helpText(io.colour ?? false))
    return 0
  }
  if (line === 'version') {
    io.stdout(versionText('cni-conformance'))
    return 0
  }
  if (line === 'list') {
    io.stdout(allChecks.map(listed).join(''))
    return 0
  }
  try {
    const report = await check(line, io)
    if (line.flags.junit !== undefined) writeFileAtomic(line.flags.junit, renderReport(report, { format: 'junit' }))
    io.stdout(renderReport(report, { format: line.flags.json ? 'json' : 'text', colour: io.colour ?? false }))
    return exitCodeOf(report, line.flags.strict ?? false)
  } catch (error) {
    if (isConformanceError(error) && WRONG_USAGE.has(error.code)) return usage(error.message, io)
    io.stderr(`cni-conformance: ${messageOf(error)}\n`)
    return 3
  }
}

const WRONG_USAGE: ReadonlySet<ConformanceError['code']> = new Set([
  'UNKNOWN_CHECK',
  'NOTHING_TO_CHECK',
  'UNKNOWN_VERSION',
  'INVALID_SHARE',
])

function exitCodeOf({ verdict, counts }: Report, strict: boolean): 0 | 1 | 4 {
  if (verdict === 'violations' || (strict && counts.advice > 0)) return 1
  return verdict === 'incomplete' ? 4 : 0
}

async function check({ plugin, flags }: CommandLine, io: CliIo): Promise<Report> {
  try {
    return await conformance({
      plugin,
      only: flags.only,
      skip: flags.skip,
      timeout: flags.timeout,
      conf: flags.conf,
      chained: flags.chained,
      cniPath: flags.cniPath,
      cniVersion: flags.cniVersion,
      share: flags.share,
      args: flags.args,
      signal: io.signal,
      onCheck: io.progress
        ? ({ title }, index, total) => io.stderr(`\r\u001b[K[${index + 1}/${total}] ${title.slice(0, 60)}`)
        : undefined,
    })
  } finally {
    if (io.progress) io.stderr('\r\u001b[K')
  }
}

function usage(message: string, io: CliIo): 2 {
  io.stderr(`cni-conformance: ${message}\nTry: cni-conformance --help\n`)
  return 2
}

function listed({ id, title, spec }: Check): string {
  return `${id.padEnd(28)}${title}\n${''.padEnd(28)}${spec}\n`
}
