import { boolFlag, choiceFlag, flagsText, heading, parseFlags, textFlag, UsageError } from '@cni/host/cli'
import { choicesProblem, KINDS, nameProblem, type ProjectOptions, RULES } from './options.ts'

/** What was asked on the command line; what is missing of the project is asked for, or has a default. */
export type Command =
  | 'help'
  | 'version'
  | {
      readonly given: { readonly [K in keyof ProjectOptions]?: ProjectOptions[K] | undefined }
      readonly yes: boolean
      readonly json: boolean
      readonly dryRun: boolean
      /** A folder with tarballs of `@cni` packages; empty: the registry. */
      readonly from: string
    }

/** What a project is that nobody described further. */
export const DEFAULTS = { kind: 'chained', rules: 'iptables', agent: true } as const

/** Takes the command line apart. Throws a `UsageError`. */
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

/**
 * Refuses what would make another project than was asked for: npm keeps flags that stand before `--`, and all that we see of
 * them is a variable. Throws a `UsageError`.
 */
export function refuseFlagsKeptByNpm(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  const kept = [FLAGS.kind, FLAGS.rules, FLAGS.agent, FLAGS.from, FLAGS.dryRun]
    .filter(({ name }) => env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined)
    // Other package managers hand them on as well.
    .filter(({ name }) => !argv.some((word) => word.split('=')[0] === `--${name}`))
    .map(({ name }) => `--${name}`)
  if (kept.length === 0) return
  throw new UsageError(
    `npm kept ${kept.join(', ')} to itself: flags go behind --, npm create cni-plugin NAME -- ${kept[0]} …`,
  )
}

/** The text of `--help`. */
export const helpText = (colour: boolean): string => `${heading('Usage:', colour)} npm create cni-plugin NAME -- [flags]

Leaves a CNI plugin in the folder NAME: its tests without root and on a kernel, a conformance run, one executable, an image,
a DaemonSet and a workflow. On a terminal it asks for what is not said. A folder that holds anything is never touched.

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
    help: "chained works behind the network's plugins, main makes the pod's interface, thick has a daemon, ipam gives addresses (default chained)",
  }),
  rules: choiceFlag({
    name: 'rules',
    of: ['', ...RULES],
    fallback: '',
    help: 'what it writes into a pod (default iptables; not for ipam)',
  }),
  agent: boolFlag({
    name: 'agent',
    help: 'with an agent that keeps it installed on nodes (default true; not for ipam)',
  }),
  yes: boolFlag({ name: 'yes', short: 'y', help: 'ask nothing: defaults for what is not said' }),
  from: textFlag({
    name: 'from',
    value: 'DIR',
    help: "take the @cni packages from tarballs in DIR ('npm run pack' makes them) instead of the registry",
  }),
  dryRun: boolFlag({ name: 'dry-run', help: 'print what would be written, and write nothing' }),
  json: boolFlag({ name: 'json', help: 'print one JSON object' }),
  version: boolFlag({ name: 'version', help: 'print the version' }),
}
