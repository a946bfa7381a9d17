import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { type BuiltExecutable, buildExecutable } from './build-executable.ts'
import type { Jit } from './compile.ts'
import { BuildError } from './errors.ts'

export interface CliIo {
  out(line: string): void
  err(line: string): void
}

const HELP = `Usage: cni-build ENTRY -o FILE [options]

Bundle ENTRY and compile it with its runtime into one executable FILE, then start it once.

Options:
  -o, --outfile FILE      the executable to write
      --bundle FILE       keep the bundle (one CommonJS file for Node 20.19 and later)
      --smoke KIND        plugin (CNI_COMMAND=VERSION, the default), command (--help) or none
      --jit WHEN          late (a process of milliseconds, the default) or normal (one that stays)
      --condition NAME    extra package.json "exports" condition; repeatable
      --incremental       keep FILE when bundle and compiler have not changed (needs --bundle)
      --no-minify         keep names and white space in the bundle
      --json              print one JSON object
  -h, --help              print this

Exit codes: 0 built, 1 failed, 2 wrong usage.`

/** The `cni-build` command without its process: arguments in, exit code out. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<0 | 1 | 2> {
  try {
    const { values, positionals } = parse(argv)
    if (values.help) {
      io.out(HELP)
      return 0
    }
    const [entry, ...rest] = positionals
    if (!entry || rest.length > 0) throw usage(`expected one entry, got ${positionals.length}`)
    if (!values.outfile) throw usage('-o FILE is missing')
    const built = await buildExecutable({
      entry,
      outfile: values.outfile,
      minify: values.minify ?? true,
      conditions: values.condition ?? [],
      smoke: smokeKind(values.smoke),
      jit: jitKind(values.jit),
      incremental: values.incremental ?? false,
      ...(values.bundle ? { bundleFile: values.bundle } : {}),
    })
    io.out(values.json ? JSON.stringify(built) : describe(built))
    return 0
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    io.err(`cni-build: ${error.message}`)
    return error.code === 'USAGE' ? 2 : 1
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      allowNegative: true,
      options: {
        outfile: { type: 'string', short: 'o' },
        bundle: { type: 'string' },
        smoke: { type: 'string' },
        jit: { type: 'string' },
        condition: { type: 'string', multiple: true },
        incremental: { type: 'boolean' },
        minify: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw usage(cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function smokeKind(value: string | undefined): 'plugin' | 'command' | false {
  if (value === undefined || value === 'plugin') return 'plugin'
  if (value === 'command') return 'command'
  if (value === 'none') return false
  throw usage(`--smoke: expected plugin, command or none, got ${JSON.stringify(value)}`)
}

function jitKind(value: string | undefined): Jit {
  if (value === undefined || value === 'late') return 'late'
  if (value === 'normal') return 'normal'
  throw usage(`--jit: expected late or normal, got ${JSON.stringify(value)}`)
}

const usage = (what: string, cause?: unknown): BuildError =>
  new BuildError('USAGE', `${what} (see cni-build --help)`, { cause })

function describe(built: BuiltExecutable): string {
  const size = `${(built.bytes / 1e6).toFixed(1)} MB, of which ${(built.bundleBytes / 1e3).toFixed(1)} kB is the bundle`
  const started = built.smokeMs === undefined ? '' : `, answered in ${built.smokeMs.toFixed(0)} ms`
  return `${basename(built.outfile)}: ${built.compiled ? 'compiled' : 'unchanged'} (${size}${started})`
}
