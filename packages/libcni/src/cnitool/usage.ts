import { type Flag, flagsText } from '@cni/host/cli'
import { COMMAND_FLAGS, COMMON_FLAGS } from './flags.ts'

/** Names of the commands of cnitool. */
export type Command = 'add' | 'check' | 'del' | 'gc' | 'status' | 'explain' | 'validate' | 'version' | 'cache'

interface CommandHelp {
  readonly args: string
  readonly about: string
  readonly more: string
  /** Command-specific flags that this command accepts. */
  readonly options: readonly (keyof typeof COMMAND_FLAGS)[]
}

const VERB_OPTIONS = ['ifname', 'dryRun', 'trace', 'verbose'] as const

/** All commands of cnitool, in the order in which the help lists them. */
export const COMMANDS: Readonly<Record<Command, CommandHelp>> = {
  add: {
    args: 'NETWORK NETNS',
    about: 'attach: print the result',
    more: `Runs ADD of every plugin, each with the result of the one before, and caches the last result for check and
del. The changes of a failed add remain: run del.`,
    options: VERB_OPTIONS,
  },
  check: {
    args: 'NETWORK NETNS',
    about: 'check that the attachment is as add left it',
    more: 'Runs CHECK of every plugin with the cached result. Prints nothing on success.',
    options: VERB_OPTIONS,
  },
  del: {
    args: 'NETWORK NETNS',
    about: 'detach',
    more: `Runs DEL of every plugin, the last one first, with the cached result if there is one, then removes that.
It can run again, also when the namespace is gone. The first failure ends it, unless --continue is given.`,
    options: [...VERB_OPTIONS, 'continue'],
  },
  gc: {
    args: 'NETWORK',
    about: 'delete the remains of attachments that no longer exist',
    more: `Runs DEL for every cached attachment of the network that --keep does not name, then GC of every plugin.
Without --keep it deletes every attachment, also of other programs. 'cnitool cache list NETWORK' prints them as
ID/IFNAME; 'cnitool gc NETWORK --dry-run' prints all that would be deleted.`,
    options: ['keep', 'dryRun', 'trace', 'verbose'],
  },
  status: {
    args: 'NETWORK',
    about: 'ask the plugins if they are ready for an add',
    more: 'Runs STATUS of every plugin. Lists before cniVersion 1.1.0 are always ready.',
    options: ['dryRun', 'trace', 'verbose'],
  },
  explain: {
    args: 'VERB NETWORK [NETNS]',
    about: 'print what add, check, del, gc or status would execute; execute nothing',
    more: `Prints environment and stdin of every plugin as shell commands that can be run one by one. For an add they have no
prevResult, because that is the output of the previous plugin. Reads configuration and cache, and checks that the
plugins' files exist.`,
    options: ['ifname', 'keep'],
  },
  validate: {
    args: 'NETWORK',
    about: "check that all plugins exist and support the list's version",
    more: 'Runs VERSION of every plugin; nothing on the machine is changed.',
    options: ['trace', 'verbose'],
  },
  version: {
    args: 'PLUGIN...',
    about: 'print the versions that these plugins support',
    more: 'Searches each plugin by its name in the plugin folders, and runs its VERSION.',
    options: ['trace', 'verbose'],
  },
  cache: {
    args: 'list [NETWORK] | show ID[/IFNAME]',
    about: 'print cached attachments',
    more: `list prints a line for each attachment, and the files that cannot be read.
show prints all data of one. ID is as in the output of list, or the path of a namespace that cnitool was used with.`,
    options: [],
  },
}

/** Text that `cnitool --help` or `cnitool COMMAND --help` prints. */
export function helpText(command?: Command): string {
  return command === undefined ? generalHelp() : commandHelp(command)
}

function generalHelp(): string {
  const lines = Object.entries(COMMANDS).map(([name, { args, about }]) => {
    const usage = `  ${name} ${args}`
    return usage.length < 26 ? `${usage.padEnd(27)}${about}` : `${usage}\n${' '.repeat(27)}${about}`
  })
  return `Usage: cnitool COMMAND [options] [arguments]

Runs the plugins of a network configuration list against a network namespace.

Commands:
${lines.join('\n')}

NETWORK is the name inside a configuration file, NETNS a path such as /run/netns/test.

Options:
${flagsText({ ...COMMAND_FLAGS, ...COMMON_FLAGS })}
Environment: CNI_ARGS ("KEY=value;KEY=value"), CAP_ARGS (JSON object of capability arguments), and the names above.

Try it: ip netns add test && cnitool add NETWORK /run/netns/test && cnitool del NETWORK /run/netns/test

${EXIT_CODES}
`
}

function commandHelp(command: Command): string {
  const { args, about, more, options } = COMMANDS[command]
  const own: Readonly<Record<string, Flag<unknown>>> = Object.fromEntries(
    options.map((name) => [name, COMMAND_FLAGS[name]]),
  )
  return `Usage: cnitool ${command} [options] ${args}

${about.charAt(0).toUpperCase()}${about.slice(1)}.

${more}

Options:
${flagsText({ ...own, ...COMMON_FLAGS })}
${EXIT_CODES}
`
}

const EXIT_CODES = `Exit codes: 0 done, 1 failed, 2 wrong usage, 129, 130, 143 ended by SIGHUP, SIGINT, SIGTERM.`
