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
  conf: textFlag({ name: 'conf', value: 'FILE', help: "the plugin's configuration, or a list that has one for it" }),
  chained: boolFlag({
    name: 'chained',
    help: 'it comes after other plugins: give it a pod with an interface, and a prevResult',
  }),
  only: listFlag({
    name: 'only',
    value: 'ID',
    help: 'run this check or group; may be repeated, or a list with commas',
  }),
  skip: listFlag({ name: 'skip', value: 'ID', help: 'leave this check or group out; may be repeated' }),
  cniPath: textFlag({
    name: 'cni-path',
    value: 'DIRS',
    help: 'where it finds plugins it calls (default: its own folder, /opt/cni/bin, /usr/lib/cni)',
  }),
  cniVersion: textFlag({
    name: 'cni-version',
    value: 'VERSION',
    help: "cniVersion of configurations (default: the configuration's, or the newest it claims)",
  }),
  args: textFlag({ name: 'args', value: 'TEXT', help: 'CNI_ARGS of every call' }),
  share: listFlag({
    commas: false,
    name: 'share',
    value: 'PATH',
    help: "a file or folder below /run or /var/lib/cni that it sees, such as its daemon's socket",
  }),
  timeout: secondsFlag({ name: 'timeout', mostSeconds: 3600, help: 'how long one execution may take (default: 10)' }),
  strict: boolFlag({ name: 'strict', help: 'advice counts too: exit code 1' }),
  json: boolFlag({ name: 'json', help: 'the whole report as JSON on stdout' }),
  junit: textFlag({ name: 'junit', value: 'FILE', help: 'and as JUnit XML to a file' }),
  list: boolFlag({ name: 'list', help: 'print the checks' }),
  version: boolFlag({ name: 'version', help: 'print the version' }),
} as const

/** A parsed command line of `cni-conformance`. */
export interface CommandLine {
  readonly plugin: string
  readonly flags: Partial<FlagValues<typeof FLAGS>>
}

/**
 * Parses a command line of `cni-conformance`. With `--help`, `--version` or `--list` no plugin is needed. Throws a
 * {@link UsageError}.
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

Checks a CNI plugin against the specification, in throw-away namespaces: the machine stays as it is. Needs root.

${heading('Flags:', colour)}
${flagsText(FLAGS)}
Try it: cni-conformance /usr/lib/cni/loopback

${heading('Exit codes:', colour)}
  0  conforms
  1  does not
  2  wrong usage
  3  could not run
  4  incomplete: no violation, but not everything could be checked; the report begins with why
`
