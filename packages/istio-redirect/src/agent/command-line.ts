import { boolFlag, type Flag, flagsText, heading, parseFlags, textFlag, UsageError } from '@cni/host/cli'
import { suggestion } from '@cni/host/similar'
import { quote } from '@cni/types'
import type { Variable } from './config/variable.ts'
import { variables } from './config/variables.ts'

const commands = {
  run: 'keep the plugin installed until SIGTERM (the default)',
  status: 'report whether this node is healthy, with the reasons if not: exit code 0 or 1',
  uninstall: 'remove the plugin from this node',
  version: 'print the version',
} as const

/** Parsed command line of `install-cni`. */
export interface CommandLine {
  readonly command: keyof typeof commands | 'help'
  readonly dryRun: boolean
  readonly json: boolean
  readonly force: boolean
  readonly configDir: string | undefined
  /** Settings that were given as flags on the command line, with their values. */
  readonly settings: Readonly<Record<string, unknown>>
}

const own = {
  configDir: textFlag({
    name: 'config-dir',
    value: 'DIR',
    help: 'each file in DIR sets one variable; changes are applied while the agent runs',
  }),
  dryRun: boolFlag({ name: 'dry-run', help: 'show what would be written, and change nothing' }),
  json: boolFlag({ name: 'json', help: 'with --dry-run, status or uninstall: print one JSON object' }),
  force: boolFlag({ name: 'force', help: 'with uninstall: remove the plugin even while an agent is running' }),
  version: boolFlag({ name: 'version', help: 'print the version' }),
}

const all: readonly (readonly [string, Variable<unknown>])[] = Object.entries(variables)
const settingFlags: Readonly<Record<string, Flag<unknown>>> = Object.fromEntries(
  all.filter(([, { envOnly }]) => !envOnly),
)

/** Parses the command line. Throws a {@link UsageError}. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { given, positionals, help } = parseFlags(argv, { ...settingFlags, ...own })
  const [name = 'run', ...more] = positionals
  if (!isCommand(name)) {
    throw new UsageError(`unknown command ${quote(name)}${suggestion(name, Object.keys(commands))}`)
  }
  if (more.length > 0) throw new UsageError(`${name} takes no arguments: ${more.map(quote).join(' ')}`)
  const { configDir, dryRun, json, force, version, ...settings }: Readonly<Record<string, unknown>> = given
  const command = help ? 'help' : version === true ? 'version' : name
  const isDry = dryRun === true
  const onlyShown = command === 'help' || command === 'version'
  // Refuses --dry-run for commands without a dry run: otherwise, `uninstall` would change the node.
  if (isDry && command !== 'run' && !onlyShown) throw new UsageError(`--dry-run cannot be combined with ${command}`)
  if (force === true && command !== 'uninstall' && !onlyShown)
    throw new UsageError('--force needs the command uninstall')
  if (json === true && command === 'run' && !isDry) {
    throw new UsageError('--json needs --dry-run, status or uninstall; use --log_as_json for a log in JSON')
  }
  return {
    command,
    dryRun: isDry,
    json: json === true,
    force: force === true,
    configDir: typeof configDir === 'string' && configDir !== '' ? configDir : undefined,
    settings,
  }
}

const isCommand = (name: string): name is keyof typeof commands => Object.hasOwn(commands, name)

/** Builds the text that `install-cni --help` prints. */
export function helpText(colour: boolean): string {
  const shown: Readonly<Record<string, Flag<unknown>>> = Object.fromEntries(
    all
      .filter(([, { envOnly, unused }]) => !envOnly && !unused)
      .map(([key, flag]) => [key, { ...flag, help: withDefault(flag) }]),
  )
  const variableOnly = all.filter(([, { envOnly }]) => envOnly).map(([, variable]) => variable)
  return `${heading('Usage:', colour)} install-cni [COMMAND] [flags]

Keeps istio-cni installed on this node: its binary, its place in the network configuration, its kubeconfig.

${heading('Commands:', colour)}
${Object.entries(commands)
  .map(([name, summary]) => `  ${name.padEnd(11)}${summary}\n`)
  .join('')}
${heading('Flags:', colour)}
${flagsText(own)}
${heading('Settings:', colour)} the first of: flag, file in --config-dir, environment variable, default.
${flagsText(shown, { variable: (flag) => (flag as Variable<unknown>).env.join(' or ') })}
${heading('Variables without a flag:', colour)}
${variableOnly.map(variableText).join('')}
${heading('Exit codes:', colour)}
  0  stopped by SIGTERM or SIGINT; status: healthy; --dry-run: nothing would change
  1  could not start, or failed; status: not healthy; --dry-run: would not succeed; a second signal while stopping
  2  --dry-run: something would change; wrong usage
`
}

/** Adds the default to a boolean flag's help, because the argument parser omits this default. */
const withDefault = ({ help, alone, fallback, shown = String(fallback) }: Variable<unknown>): string =>
  alone === undefined || fallback === false ? help : `${help}; default ${shown}`

function variableText({ env, help, fallback }: Flag<unknown> & Variable<unknown>): string {
  const standard = fallback === '' ? '' : ` (default ${fallback})`
  return `  ${env.join(' or ')}\n          ${help}${standard}\n`
}

/** Builds the Markdown table of the agent's settings for the documentation. */
export function settingsTable(): string {
  const rows = all
    .filter(([, { unused }]) => !unused)
    .map(([, variable]) => {
      const { name, envOnly, env, fallback, shown = String(fallback), help } = variable
      const flag = envOnly ? '' : `\`--${name}\``
      return `| ${flag} | ${env.map((one) => `\`${one}\``).join(' ')} | ${shown === '' ? '' : `\`${shown}\``} | ${help} |`
    })
  return ['| flag | variable | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
