import { buildExecutable } from './build-executable.ts'
import { HELP, parseCommandLine } from './command-line.ts'
import { BuildError } from './errors.ts'
import { report, shareTable } from './report.ts'

export interface CliIo {
  out(line: string): void
  err(line: string): void
  /** Stops the build, which leaves nothing behind. */
  signal?: AbortSignal
}

/** The `cni-build` command without its process: arguments in, exit code out. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<0 | 1 | 2> {
  const json = argv.includes('--json')
  try {
    const command = parseCommandLine(argv)
    if (command === 'help') {
      io.out(HELP)
      return 0
    }
    const built = await buildExecutable({
      ...command.build,
      ...(io.signal ? { signal: io.signal } : {}),
      ...(json ? {} : { onProgress: (line: string) => io.err(`cni-build: ${line}`) }),
    })
    if (json) io.out(JSON.stringify(built))
    else for (const line of [...report(built), ...(command.analyze ? shareTable(built) : [])]) io.out(line)
    return 0
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    io.err(`cni-build: ${error.message}`)
    if (json) io.out(JSON.stringify({ error: { code: error.code, message: error.message } }))
    return error.code === 'USAGE' ? 2 : 1
  }
}
