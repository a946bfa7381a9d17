import { versionText } from '@cni/host/cli'
import type { Plugin } from '../plugin.ts'
import { aboutText } from '../protocol/immediate.ts'

/** What can be said about a plugin to people; `@cni/skel/describe` has one. */
export interface Describer {
  /** The text of `--help`. */
  help(plugin: Plugin): string | Promise<string>
  /** The text of `--schema`. */
  schema(plugin: Plugin): string | Promise<string>
}

/** What a person gets to see. */
export interface CommandLineAnswer {
  readonly exitCode: 0 | 2
  readonly stdout: string
  readonly stderr: string
}

/**
 * The answer to whoever starts the executable by hand: no `CNI_COMMAND`, and arguments or a terminal. `undefined`
 * otherwise: then the protocol says what happens.
 */
export function answerPerson(
  plugin: Plugin,
  args: readonly string[],
  describe: Describer | undefined,
): Promise<CommandLineAnswer> | undefined {
  return args.length > 0 || isAtTerminal() ? answer(plugin, args, describe) : undefined
}

async function answer(
  plugin: Plugin,
  args: readonly string[],
  describe: Describer | undefined,
): Promise<CommandLineAnswer> {
  const [option, ...rest] = args
  if (rest.length === 0 && (option === undefined || option === '--help' || option === '-h')) {
    return shown(await helpOf(plugin, describe))
  }
  if (rest.length === 0 && option === '--version') return shown(versionText(plugin.name, '', plugin.release))
  if (rest.length === 0 && option === '--schema') {
    return describe === undefined
      ? refused(plugin, 'it was built without --schema')
      : shown(await describe.schema(plugin))
  }
  return refused(plugin, `unknown argument ${JSON.stringify(rest[0] === undefined ? option : args.join(' '))}`)
}

function helpOf(plugin: Plugin, describe: Describer | undefined): string | Promise<string> {
  if (describe !== undefined) return describe.help(plugin)
  const about = aboutText(plugin.about ?? plugin.name, plugin)
  return `${about}Container runtimes start it with CNI_COMMAND and a configuration on stdin.\n`
}

/** Both: a runtime can have either as `/dev/console`, and a person redirects the one or the other for a reason. */
function isAtTerminal(): boolean {
  const { isatty } = process.getBuiltinModule('node:tty')
  return isatty(0) && isatty(1)
}

function shown(text: string): CommandLineAnswer {
  return { exitCode: 0, stdout: text, stderr: '' }
}

function refused({ name }: Plugin, reason: string): CommandLineAnswer {
  return { exitCode: 2, stdout: '', stderr: `${name}: ${reason}\nTry: ${name} --help\n` }
}
