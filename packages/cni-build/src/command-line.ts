import { boolFlag, choiceFlag, flagsText, heading, listFlag, parseFlags, textFlag, UsageError } from '@cni/host/cli'
import type { BuildExecutableOptions } from './build-executable.ts'
import { TARGETS, type Target } from './tools/target.ts'

/** A parsed command line of `cni-build`. */
export type Command =
  | { kind: 'help' | 'version' }
  | { kind: 'build'; options: BuildExecutableOptions; analyze: boolean }
  | { kind: 'where' | 'inspect'; file: string }

/** Parses the command line of `cni-build`. Throws a `UsageError` for an invalid command line. */
export function parseCommandLine(argv: readonly string[]): Command {
  const { values: given, positionals, help } = parseFlags(argv, FLAGS, { once: true })
  const { target, ...values } = given
  if (help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  const [entry, ...rest] = positionals
  if (entry === 'where' || entry === 'inspect') return { kind: entry, file: fileFor(entry, rest) }
  if (entry === undefined || rest.length > 0) throw new UsageError(`expected one entry, got ${positionals.length}`)
  if (entry === '') throw new UsageError('the entry is an empty string')
  if (values.outfile === '') throw new UsageError('-o FILE is missing')
  if (values.incremental && values.bundle === '') {
    throw new UsageError('--incremental needs --bundle FILE: its stamp lies beside it')
  }
  return {
    kind: 'build',
    analyze: values.analyze,
    options: {
      entry,
      outfile: values.outfile,
      names: values.name,
      runtime: values.runtime,
      ...(target === '' ? {} : { target }),
      minify: !values.noMinify,
      conditions: values.condition,
      define: Object.fromEntries(values.define.map(definition)),
      smoke: values.smoke === 'none' ? false : values.smoke,
      snapshot: !values.noSnapshot,
      incremental: values.incremental,
      ...(values.bundle === '' ? {} : { bundleFile: values.bundle }),
    },
  }
}

/** Text that `cni-build --help` prints. */
export const helpText = (colour: boolean): string => `${heading('Usage:', colour)} cni-build ENTRY -o FILE [flags]

Bundle ENTRY and compile it with its runtime into one executable FILE, then start it.

  cni-build src/main.ts -o dist/my-plugin
  cni-build src/main.ts -o dist/arm64/my-plugin --target linux-arm64
  cni-build inspect dist/my-plugin           versions and sizes of its parts
  cni-build where dist/my-plugin.map < log   replace positions in stack traces by positions in the source

${heading('Flags:', colour)}
${flagsText(FLAGS)}
The runtimes are npm packages (@cni/runtime, @oven/bun-linux-*); nothing else is downloaded.
Exit codes: 0 built, 1 failed, 2 wrong usage.
`

const FLAGS = {
  outfile: textFlag({
    name: 'outfile',
    short: 'o',
    value: 'FILE',
    help: 'the executable to write',
  }),
  name: listFlag({
    commas: false,
    name: 'name',
    value: 'NAME',
    help: 'one more name of FILE, a hard link beside it: several plugins in one file (pluginsMain); repeatable',
  }),
  runtime: choiceFlag({
    name: 'runtime',
    of: ['small', 'bun'],
    fallback: 'small',
    help: 'small is for plugins; bun has all of Node, for long-running processes, and needs glibc on the host',
  }),
  target: choiceFlag<Target | ''>({
    name: 'target',
    of: ['', ...TARGETS],
    fallback: '',
    help: 'default: this machine; small needs linux-x64 or linux-arm64 only',
  }),
  smoke: choiceFlag({
    name: 'smoke',
    of: ['plugin', 'command', 'none'],
    fallback: 'plugin',
    help: 'start FILE to test it: plugin sets CNI_COMMAND=VERSION, command passes --help',
  }),
  bundle: textFlag({ name: 'bundle', value: 'FILE', help: 'also write one CommonJS file for Node 20.19 and later' }),
  condition: listFlag({
    commas: false,
    name: 'condition',
    value: 'NAME',
    help: 'extra package.json "exports" condition; repeatable',
  }),
  define: listFlag({
    commas: false,
    name: 'define',
    value: 'KEY=VALUE',
    help: 'replace KEY by the expression VALUE in the source; repeatable',
  }),
  noMinify: boolFlag({ name: 'no-minify', help: 'keep names and white space in the bundle' }),
  noSnapshot: boolFlag({
    name: 'no-snapshot',
    help: 'small: evaluate the modules at each start, not at build time; they may then read environment and files',
  }),
  incremental: boolFlag({
    name: 'incremental',
    help: 'keep FILE when bundle and compiler have not changed (needs --bundle)',
  }),
  analyze: boolFlag({ name: 'analyze', help: 'print the size of each package in the bundle' }),
  json: boolFlag({ name: 'json', help: 'print one JSON object and no progress' }),
  version: boolFlag({ name: 'version', help: 'print the version' }),
}

function fileFor(command: 'where' | 'inspect', rest: readonly string[]): string {
  const [file, ...more] = rest
  const expected = command === 'where' ? 'the map that lies beside an executable' : 'an executable'
  if (file === undefined || file === '' || more.length > 0) {
    throw new UsageError(`${command}: expected one file, ${expected}, got ${rest.length}`)
  }
  return file
}

function definition(text: string): readonly [string, string] {
  const [, key, value] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (key !== undefined && value !== undefined) return [key, value]
  throw new UsageError(`--define: expected KEY=VALUE, got ${JSON.stringify(text)}`)
}
