import {
  boolFlag,
  type FlagValues,
  flagsText,
  heading,
  listFlag,
  parseFlags,
  secondsFlag,
  textFlag,
  UsageError,
} from '@cni/host/cli'

const FLAGS = {
  conf: textFlag({ name: 'conf', value: 'FILE', help: "the plugin's configuration, or a list that contains it" }),
  chained: boolFlag({
    name: 'chained',
    help: 'the plugin runs after other plugins: prepare an interface in the pod, and pass a prevResult',
  }),
  only: listFlag({
    name: 'only',
    value: 'ID',
    help: 'run only this check or group; repeatable, or a list with commas',
  }),
  skip: listFlag({ name: 'skip', value: 'ID', help: 'skip this check or group; repeatable, or a list with commas' }),
  cniPath: textFlag({
    name: 'cni-path',
    value: 'DIRS',
    help: 'folders of the plugins that it calls (default: its own folder, /opt/cni/bin, /usr/lib/cni)',
  }),
  cniVersion: textFlag({
    name: 'cni-version',
    value: 'VERSION',
    help: "cniVersion of configurations (default: from --conf, else the plugin's newest)",
  }),
  args: textFlag({ name: 'args', value: 'TEXT', help: 'CNI_ARGS of every call' }),
  share: listFlag({
    commas: false,
    name: 'share',
    value: 'PATH',
    help: "file or folder below /run or /var/lib/cni that the plugin needs, such as its daemon's socket",
  }),
  timeout: secondsFlag({ name: 'timeout', mostSeconds: 3600, help: 'time limit of one execution (default: 10)' }),
  strict: boolFlag({ name: 'strict', help: 'exit code 1 also for advice' }),
  json: boolFlag({ name: 'json', help: 'print the report as JSON on stdout' }),
  junit: textFlag({ name: 'junit', value: 'FILE', help: 'also write the report as JUnit XML to FILE' }),
  list: boolFlag({ name: 'list', help: 'print the checks' }),
  version: boolFlag({ name: 'version', help: 'print the version' }),
} as const

/** A parsed command line of `cni-conformance`. */
export interface CommandLine {
  readonly plugin: string
  readonly flags: Partial<FlagValues<typeof FLAGS>>
}

/**
 * Parses a command line of `cni-conformance`. The plugin's path is optional with `--help`, `--version` or `--list`.
 * Throws a {@link UsageError}.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine | 'help' | 'version' | 'list' {
  const { given, positionals, help } = parseFlags(argv, FLAGS)
  if (help) return 'help'
  if (given.version) return 'version'
  if (given.list) return 'list'
  const [plugin, ...more] = positionals
  if (!plugin || more.length > 0) {
    throw new UsageError(`expected the path of one plugin, got ${positionals.length} arguments`)
  }
  return { plugin, flags: given }
}

/** Text that `cni-conformance --help` prints. */
export const helpText = (colour: boolean): string => `${heading('Usage:', colour)} cni-conformance PLUGIN [flags]

Checks a CNI plugin against the specification, in temporary namespaces. Does not change the machine. Needs root.

${heading('Flags:', colour)}
${flagsText(FLAGS)}
Try it: cni-conformance /usr/lib/cni/loopback

${heading('Exit codes:', colour)}
  0  the plugin conforms
  1  the plugin violates the specification
  2  wrong usage
  3  the checks could not run
  4  incomplete: no violation, but some checks could not run; the report begins with the reason
`
