import { isatty } from 'node:tty'
import { versionText } from '@cni/host/cli'
import { aboutText } from './definition/immediate.ts'
import type { Plugin } from './definition/plugin.ts'

/** Options of `pluginMain` that concern users who start the plugin on the command line. */
export interface PluginMainOptions {
  /**
   * Creates help texts for users who start the plugin by hand. Pass `describe` for a complete `--help` and for
   * `--schema`.
   */
  readonly describe?: (plugin: Plugin, what: 'help' | 'schema') => string | Promise<string>
}

type Describer = PluginMainOptions['describe']

/** Output of the executable for a user who starts it by hand. */
export interface CommandLineAnswer {
  readonly exitCode: 0 | 1 | 2
  readonly stdout: string
  readonly stderr: string
}

/** Answers a user who starts the executable by hand. Returns `undefined` for a container runtime. */
export function answerUser(
  plugin: Plugin,
  args: readonly string[],
  describe: Describer,
  others: readonly string[] = [],
): Promise<CommandLineAnswer> | undefined {
  return isUser(args) ? answer(plugin, args, describe, others) : undefined
}

/** True if a user has started the plugin's executable: container runtimes pass no arguments. */
export function isUser(args: readonly string[]): boolean {
  return args.length > 0 || isAtTerminal()
}

/** Parses the command line of a user who starts the plugin by hand. */
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
      return successAnswer(`${await helpOf(plugin, describe)}${alsoHelp(name, others)}`)
    case 'version':
      return successAnswer(
        versionText(name, others.length === 0 ? '' : `in one file with ${others.join(', ')}`, release),
      )
    case 'schema':
      return describe === undefined
        ? failureAnswer(name, 'it was built without --schema')
        : successAnswer(await describe(plugin, 'schema'))
    default:
      return failureAnswer(name, `unknown argument ${JSON.stringify(args.join(' '))}`)
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

/** Requires two terminals, because a container runtime may use `/dev/console` for one of them. */
function isAtTerminal(): boolean {
  return isatty(0) && isatty(1)
}

/** Answers a user with a text on stdout and exit code 0. */
export function successAnswer(text: string): CommandLineAnswer {
  return { exitCode: 0, stdout: text, stderr: '' }
}

/** Answers a user who has given an invalid command line, on stderr and with exit code 2. */
export function failureAnswer(name: string, reason: string): CommandLineAnswer {
  return { exitCode: 2, stdout: '', stderr: `${name}: ${reason}\nTry: ${name} --help\n` }
}
