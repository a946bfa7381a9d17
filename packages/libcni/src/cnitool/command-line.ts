import { type FlagValues, parseFlags, UsageError } from '@cni/host/cli'
import { suggestion } from '@cni/host/similar'
import type { ValidAttachment } from '@cni/types'
import { FLAGS } from './flags.ts'
import { COMMANDS, type Command } from './usage.ts'

/** Commands of cnitool that call the plugins of a network's list. */
export type VerbCommand = 'add' | 'check' | 'del' | 'gc' | 'status'

/** Flags that the user gave on cnitool's command line. */
export type GivenFlags = Partial<FlagValues<typeof FLAGS>>

/** A parsed command line of cnitool. */
export interface CommandLine {
  readonly command: Exclude<Command, 'explain'>
  /** True to print the plugin calls without making them: `cnitool explain VERB`, or `cnitool VERB --dry-run`. */
  readonly dryRun: boolean
  readonly positionals: readonly string[]
  readonly flags: GivenFlags
}

/** A command line of cnitool that asks for help. */
export interface HelpRequest {
  readonly help: Command | 'all'
}

/** Parses a command line of cnitool. */
export function parseCommandLine(argv: readonly string[]): CommandLine | HelpRequest | 'version' {
  const { given: flags, positionals, help } = parseFlags(argv, FLAGS)
  if (flags.version && !help) return 'version'
  const asksHelp = positionals[0] === 'help'
  const [name, ...rest] = asksHelp ? positionals.slice(1) : positionals
  if (name === undefined) return { help: 'all' }
  const command = commandOf(name)
  if (asksHelp || help) return { help: command }
  checkFlags(command, flags)
  if (command === 'explain') return explained(rest, flags)
  return { command, dryRun: flags.dryRun ?? false, positionals: rest, flags }
}

/** True if a command of cnitool calls the plugins of a network's list. */
export function isVerb(command: string): command is VerbCommand {
  return ['add', 'check', 'del', 'gc', 'status'].includes(command)
}

/** Network name and namespace path from the arguments of a cnitool command. */
export function targetOf({ command, positionals, flags }: CommandLine): {
  readonly network: string | undefined
  readonly netns: string
} {
  const needsNetns = command === 'add' || command === 'check' || command === 'del'
  const needed = [...(flags.conf === undefined ? ['NETWORK'] : []), ...(needsNetns ? ['NETNS'] : [])]
  if (positionals.length < needed.length) {
    throw new UsageError(`${command} needs ${needed.join(' and ')}, got ${positionals.length} argument(s)`)
  }
  // The command needs no network name if `--conf FILE` is given.
  const nameless = flags.conf !== undefined && needsNetns && positionals.length === 1
  const [network, netns = ''] = nameless ? [undefined, ...positionals] : positionals
  if (network === '') throw new UsageError(`${command}: NETWORK is empty`)
  // Rejects an empty namespace path. The Go cnitool would resolve the empty path to the working directory.
  if (needsNetns && netns === '') throw new UsageError(`${command}: NETNS is empty`)
  return { network, netns }
}

function explained(positionals: readonly string[], flags: GivenFlags): CommandLine {
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
  const names = Object.keys(COMMANDS)
  const meant = suggestion(given, names) || `, expected one of ${names.join(', ')}`
  throw new UsageError(`unknown command ${JSON.stringify(given)}${meant}`)
}

/** Rejects an unused flag, because the user might believe that it limits a deletion. */
function checkFlags(command: Command, flags: GivenFlags): void {
  const { options } = COMMANDS[command]
  const given = [
    ...(flags.keep === undefined ? [] : ['keep' as const]),
    ...(flags.continue ? ['continue' as const] : []),
    ...(flags.dryRun && command !== 'explain' ? ['dryRun' as const] : []),
    ...(flags.trace || flags.verbose ? ['trace' as const] : []),
  ]
  for (const name of given) {
    if (options.includes(name)) continue
    const takers = Object.entries(COMMANDS).filter(([, one]) => one.options.includes(name))
    throw new UsageError(
      `--${FLAGS[name].name} is for ${takers.map(([taker]) => taker).join(', ')}, not for ${command}`,
    )
  }
}

/** Attachments that `cnitool gc` must keep, from flags `--keep ID/IFNAME`. */
export function validAttachments(keep: readonly string[] = []): ValidAttachment[] {
  return keep.map(attachment)
}

function attachment(text: string): ValidAttachment {
  // Splits `ID/IFNAME` at the slash, which neither container ids nor interface names contain.
  const [containerID, ifname, ...more] = text.split('/')
  if (containerID && ifname && more.length === 0) return { containerID, ifname }
  throw new UsageError(`invalid --keep ${JSON.stringify(text)}, expected ID/IFNAME as 'cnitool cache list' prints it`)
}
