import { boolFlag, choiceFlag, flagsText, heading, parseFlags, textFlag, UsageError } from '@cni/host/cli'
import { choicesProblem, KINDS, nameProblem, type ProjectOptions, RULES } from './options.ts'

/** Parsed command line of `npm create cni-plugin`. Prompts ask for missing options. */
export type Command =
  | 'help'
  | 'version'
  | {
      readonly given: { readonly [K in keyof ProjectOptions]?: ProjectOptions[K] | undefined }
      readonly yes: boolean
      readonly json: boolean
      readonly dryRun: boolean
      /** Folder with tarballs of the `@cni` packages. An empty value means that npm installs them from the registry. */
      readonly from: string
    }

/** Default options of a new project. */
export const DEFAULTS = { kind: 'chained', rules: 'iptables', agent: true } as const

/** Parses the command line of `npm create cni-plugin`. Throws a `UsageError` if the command line is invalid. */
export function parseCommandLine(argv: readonly string[]): Command {
  const { given, values, positionals, help } = parseFlags(argv, FLAGS, { once: true })
  const { version, yes, json, dryRun, from } = values
  if (help) return 'help'
  if (version) return 'version'
  const [name, ...rest] = positionals
  if (rest.length > 0) {
    throw new UsageError(`expected one name, got ${positionals.map((word) => JSON.stringify(word)).join(', ')}`)
  }
  const problem = name === undefined ? undefined : nameProblem(name)
  if (problem !== undefined) throw new UsageError(problem)
  const { kind, rules, agent } = given
  const clash = choicesProblem({ kind: kind || undefined, rules: rules || undefined, agent })
  if (clash !== undefined) throw new UsageError(`flag --${clash}`)
  return { given: { name, kind: kind || undefined, rules: rules || undefined, agent }, yes, json, dryRun, from }
}

/** Rejects flags before `--`, because npm passes such flags only as environment variables. */
export function refuseFlagsKeptByNpm(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  const kept = [FLAGS.kind, FLAGS.rules, FLAGS.agent, FLAGS.from, FLAGS.dryRun]
    .filter(({ name }) => env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined)
    // Package managers other than npm pass each flag both as environment variable and as argument.
    .filter(({ name }) => !argv.some((word) => word.split('=')[0] === `--${name}`))
    .map(({ name }) => `--${name}`)
  if (kept.length === 0) return
  throw new UsageError(
    `npm did not pass on ${kept.join(', ')}: put flags after --, npm create cni-plugin NAME -- ${kept[0]} …`,
  )
}

/** Text that `npm create cni-plugin -- --help` prints. */
export const helpText = (colour: boolean): string => `${heading('Usage:', colour)} npm create cni-plugin NAME -- [flags]

Creates a CNI plugin in the folder NAME: tests without root and on a kernel, a conformance run, one executable, an image,
a DaemonSet and a workflow. On a terminal it asks for missing options. It never changes a folder that is not empty.

  npm create cni-plugin my-plugin
  npm create cni-plugin my-plugin -- --kind main --rules routes --agent=false

${heading('Flags:', colour)}
${flagsText(FLAGS)}

Exit codes: 0 made, 1 failed or cancelled, 2 wrong usage.
`

const FLAGS = {
  kind: choiceFlag({
    name: 'kind',
    of: ['', ...KINDS],
    fallback: '',
    help: "chained runs after the network's plugins, main creates the pod's interface, thick has a daemon, ipam gives addresses (default chained)",
  }),
  rules: choiceFlag({
    name: 'rules',
    of: ['', ...RULES],
    fallback: '',
    help: 'rules or routes that the plugin writes into a pod (default iptables; not for ipam)',
  }),
  agent: boolFlag({
    name: 'agent',
    help: 'add an agent that keeps the plugin installed on nodes (default true; not for ipam)',
  }),
  yes: boolFlag({ name: 'yes', short: 'y', help: 'ask nothing and use defaults for missing options' }),
  from: textFlag({
    name: 'from',
    value: 'DIR',
    help: "take the @cni packages from tarballs in DIR ('npm run pack' makes them) instead of the registry",
  }),
  dryRun: boolFlag({ name: 'dry-run', help: 'print the files of the project, and write nothing' }),
  json: boolFlag({ name: 'json', help: 'print one JSON object' }),
  version: boolFlag({ name: 'version', help: 'print the version' }),
}
