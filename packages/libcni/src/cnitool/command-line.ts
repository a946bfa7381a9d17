import { parseArgs } from 'node:util'
import { UsageError } from './usage.ts'

/** What cnitool does. */
export type Command = 'add' | 'check' | 'del' | 'gc' | 'status' | 'validate' | 'version'

/** A command line, taken apart. */
export interface CommandLine {
  readonly command: Command
  readonly positionals: readonly string[]
  readonly flags: ReturnType<typeof parseFlags>['values']
}

const COMMANDS: readonly Command[] = ['add', 'check', 'del', 'gc', 'status', 'validate', 'version']

/** Takes a command line apart; `undefined` when it asks for help. */
export function parseCommandLine(argv: readonly string[]): CommandLine | undefined {
  const { values, positionals } = parseFlags(argv)
  const [given, ...rest] = positionals
  if (values.help || given === undefined || given === 'help') return undefined
  const command = COMMANDS.find((known) => known === given)
  if (command === undefined) {
    throw new UsageError(`unknown command ${JSON.stringify(given)}, expected one of ${COMMANDS.join(', ')}`)
  }
  return { command, positionals: rest, flags: values }
}

/** The network's name and the namespace from the arguments of a command. */
export function targetOf({ command, positionals, flags }: CommandLine): {
  readonly network: string | undefined
  readonly netns: string
} {
  const needsNetns = command === 'add' || command === 'check' || command === 'del'
  const needed = [...(flags.conf === undefined ? ['NETWORK'] : []), ...(needsNetns ? ['NETNS'] : [])]
  if (positionals.length < needed.length) {
    throw new UsageError(`${command} needs ${needed.join(' and ')}, got ${positionals.length} argument(s)`)
  }
  // With a file, a single argument of a command that works on a namespace is the namespace.
  const nameless = flags.conf !== undefined && needsNetns && positionals.length === 1
  const [network, netns = ''] = nameless ? [undefined, ...positionals] : positionals
  if (network === '') throw new UsageError(`${command}: NETWORK is empty`)
  // The original takes "" for the working directory.
  if (needsNetns && netns === '') throw new UsageError(`${command}: NETNS is empty`)
  return { network, netns }
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        ifname: { type: 'string', short: 'i' },
        conf: { type: 'string' },
        'conf-dir': { type: 'string' },
        'cni-path': { type: 'string' },
        'cache-dir': { type: 'string' },
        timeout: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
