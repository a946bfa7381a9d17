import { isatty } from 'node:tty'
import { versionText } from '@cni/host/cli'
import { aboutText } from './definition/immediate.ts'
import type { Plugin } from './definition/plugin.ts'

/** Settings of `pluginMain` for the command line. */
export interface PluginMainOptions {
  /** Help for users. `describe` makes `--help` complete and adds `--schema`. */
  readonly describe?: (plugin: Plugin, what: 'help' | 'schema') => string | Promise<string>
}

type Describer = PluginMainOptions['describe']

/** Output for a user. */
export interface CommandLineAnswer {
  readonly exitCode: 0 | 1 | 2
  readonly stdout: string
  readonly stderr: string
}

/**
 * Answers a user who starts the executable by hand: without `CNI_COMMAND`, and with arguments or a terminal. Otherwise
 * returns `undefined`; the caller then serves the CNI protocol.
 *
 * @param others - names of the other plugins in the file.
 */
export function answerUser(
  plugin: Plugin,
  args: readonly string[],
  describe: Describer,
  others: readonly string[] = [],
): Promise<CommandLineAnswer> | undefined {
  return isUser(args) ? answer(plugin, args, describe, others) : undefined
}

/** True if a user has started the executable: runtimes pass no arguments. */
export function isUser(args: readonly string[]): boolean {
  return args.length > 0 || isAtTerminal()
}

/** The user's request if there is exactly one argument. `undefined` for an unknown argument, and for several. */
export function askedFor(args: readonly string[]): 'help' | 'version' | 'schema' | undefined {
  const [option, ...rest] = args
  if (rest.length > 0) return undefined
  if (option === undefined || option === '--help' || option === '-h') return 'help'
  return option === '--version' ? 'version' : option === '--schema' ? 'schema' : undefined
}

async function answer(
  plugin: Plugin,
  args: readonly string[],
  describe: Describer,
  others: readonly string[],
): Promise<CommandLineAnswer> {
  const { name, release } = plugin
  switch (askedFor(args)) {
    case 'help':
      return shown(`${await helpOf(plugin, describe)}${alsoHelp(name, others)}`)
    case 'version':
      return shown(versionText(name, others.length === 0 ? '' : `in one file with ${others.join(', ')}`, release))
    case 'schema':
      return describe === undefined
        ? refused(name, 'it was built without --schema')
        : shown(await describe(plugin, 'schema'))
    default:
      return refused(name, `unknown argument ${JSON.stringify(args.join(' '))}`)
  }
}

function alsoHelp(name: string, others: readonly string[]): string {
  if (others.length === 0) return ''
  return `\nThis file is one plugin for each name it is called by: ${[name, ...others].join(', ')}.\n`
}

function helpOf(plugin: Plugin, describe: Describer): string | Promise<string> {
  if (describe !== undefined) return describe(plugin, 'help')
  const about = aboutText(plugin.about ?? plugin.name, plugin)
  return `${about}Container runtimes start it with CNI_COMMAND and a configuration on stdin.\n`
}

/** Checks stdin and stdout: a runtime may use `/dev/console` for one of them, and a user may redirect one. */
function isAtTerminal(): boolean {
  return isatty(0) && isatty(1)
}

/** Answer with a text on stdout. */
export function shown(text: string): CommandLineAnswer {
  return { exitCode: 0, stdout: text, stderr: '' }
}

/** Answer to an invalid command line. */
export function refused(name: string, reason: string): CommandLineAnswer {
  return { exitCode: 2, stdout: '', stderr: `${name}: ${reason}\nTry: ${name} --help\n` }
}
