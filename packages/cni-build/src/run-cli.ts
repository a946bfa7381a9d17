import { basename } from 'node:path'
import { isUsageError, versionText } from '@cni/host/cli'
import { type BuiltExecutable, buildExecutable } from './build-executable.ts'
import { helpText, parseCommandLine } from './command-line.ts'
import { isBuildError } from './errors.ts'
import { inspect, inspectionText } from './inspect.ts'
import { shareTable } from './share-table.ts'
import { translate } from './where.ts'

/** Input, output and abort signal of {@link runCli}. The command itself opens files and starts the compiler. */
export interface CliIo {
  stdout(text: string): void
  stderr(text: string): void
  /** Stdin of the command. `cni-build where` reads a log from stdin. Default: an empty log. */
  stdin?: AsyncIterable<Uint8Array>
  /** True to print colours on stdout of `cni-build`. */
  colour?: boolean
  /** AbortSignal that ends the build. An aborted build removes its unfinished files. */
  signal?: AbortSignal
}

/** Runs the `cni-build` command inside this process and returns the exit code. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<0 | 1 | 2> {
  const json = argv.includes('--json')
  try {
    const command = parseCommandLine(argv)
    switch (command.kind) {
      case 'help':
        io.stdout(helpText(io.colour ?? false))
        return 0
      case 'version':
        io.stdout(versionText('cni-build'))
        return 0
      case 'where':
        for await (const text of translate(command.file, io.stdin)) io.stdout(text)
        return 0
      case 'inspect': {
        const found = inspect(command.file)
        io.stdout(json ? `${JSON.stringify(found)}\n` : inspectionText(found))
        return 0
      }
    }
    const { options, analyze } = command
    const built = await buildExecutable({
      ...options,
      ...(io.signal ? { signal: io.signal } : {}),
      ...(json ? {} : { onProgress: (line: string) => io.stderr(`cni-build: ${line}\n`) }),
    })
    if (json) io.stdout(`${JSON.stringify(built)}\n`)
    else for (const line of [...report(built), ...(analyze ? shareTable(built.packages) : [])]) io.stdout(`${line}\n`)
    return 0
  } catch (error) {
    if (!isUsageError(error) && !isBuildError(error)) throw error
    const { code } = error
    const misused = code === 'USAGE'
    io.stderr(`cni-build: ${error.message}\n${misused ? 'Try: cni-build --help\n' : ''}`)
    if (json) io.stdout(`${JSON.stringify({ error: { code, message: error.message } })}\n`)
    return misused ? 2 : 1
  }
}

/** Formats the result of a build as lines that `cni-build` prints for the user. */
function report(built: BuiltExecutable): string[] {
  const size = `${(built.bytes / 1e6).toFixed(1)} MB, of which ${(built.bundleBytes / 1e3).toFixed(1)} kB is the bundle`
  const what = `${built.compiled ? 'compiled' : 'unchanged'}, ${built.runtime} ${built.version}, ${built.target}`
  const lines = [`${basename(built.outfile)}: ${what}`, `  size      ${size}`]
  if (built.names.length > 0) lines.push(`  names     ${built.names.map((path) => basename(path)).join(', ')}`)
  if (built.startMs !== undefined) lines.push(`  start-up  ${built.startMs.toFixed(1)} ms`)
  if (built.notStarted !== undefined) lines.push(`  start-up  not measured: ${built.notStarted}`)
  return [...lines, `  needs     ${needs(built)}`]
}

const needs = ({ runtime, target }: BuiltExecutable): string =>
  runtime === 'small'
    ? 'nothing but the kernel'
    : `${target.endsWith('-musl') ? 'musl and libstdc++' : 'glibc 2.17 or later'}, a mounted /proc`
