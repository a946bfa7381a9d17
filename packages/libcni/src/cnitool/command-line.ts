import { parseArgs } from 'node:util'
import { COMMANDS, type Command, UsageError } from './usage.ts'

/** The commands that execute a verb of the list. */
export type VerbCommand = 'add' | 'check' | 'del' | 'gc' | 'status'

/** A command line, taken apart. */
export interface CommandLine {
  readonly command: Exclude<Command, 'explain'>
  /** Print what would be executed: `explain VERB`, or `VERB --dry-run`. */
  readonly dryRun: boolean
  readonly positionals: readonly string[]
  readonly flags: ReturnType<typeof parseFlags>['values']
}

/** A command line that asks for help. */
export interface HelpRequest {
  readonly help: Command | 'all'
}

/** Takes a command line apart. */
export function parseCommandLine(argv: readonly string[]): CommandLine | HelpRequest {
  const { values: flags, positionals } = parseFlags(argv)
  const asksHelp = positionals[0] === 'help'
  const [given, ...rest] = asksHelp ? positionals.slice(1) : positionals
  if (given === undefined) return { help: 'all' }
  const command = commandOf(given)
  if (asksHelp || flags.help) return { help: command }
  checkFlags(command, flags)
  if (command === 'explain') return explained(rest, flags)
  return { command, dryRun: flags['dry-run'] ?? false, positionals: rest, flags }
}

/** Whether a command executes a verb of a list. */
export function isVerb(command: string): command is VerbCommand {
  return ['add', 'check', 'del', 'gc', 'status'].includes(command)
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

function explained(positionals: readonly string[], flags: CommandLine['flags']): CommandLine {
  const [verb, ...rest] = positionals
  if (verb === undefined) throw new UsageError('explain needs VERB and NETWORK, got no argument')
  if (!isVerb(verb)) {
    throw new UsageError(`explain: unknown verb ${JSON.stringify(verb)}, expected add, check, del, gc or status`)
  }
  if (flags.keep !== undefined && verb !== 'gc') throw new UsageError(`--keep is for gc, not for ${verb}`)
  return { command: verb, dryRun: true, positionals: rest, flags }
}

function commandOf(given: string): Command {
  const known = Object.keys(COMMANDS).find((name): name is Command => name === given)
  if (known !== undefined) return known
  throw new UsageError(`unknown command ${JSON.stringify(given)}, expected one of ${Object.keys(COMMANDS).join(', ')}`)
}

/** An option that would do nothing is a misunderstanding, and one about what gets deleted in the worst case. */
function checkFlags(command: Command, flags: CommandLine['flags']): void {
  const { options } = COMMANDS[command]
  const given = [
    ...(flags.keep === undefined ? [] : ['keep' as const]),
    ...(flags['dry-run'] && command !== 'explain' ? ['dry-run' as const] : []),
    ...(flags.trace || flags.verbose ? ['trace' as const] : []),
  ]
  for (const name of given) {
    if (options.includes(name)) continue
    const takers = Object.entries(COMMANDS).filter(([, one]) => one.options.includes(name))
    throw new UsageError(`--${name} is for ${takers.map(([taker]) => taker).join(', ')}, not for ${command}`)
  }
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
        keep: { type: 'string', multiple: true },
        'dry-run': { type: 'boolean' },
        trace: { type: 'boolean' },
        verbose: { type: 'boolean', short: 'v' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
