import type { RunError } from '@cni/host'
import { errnoOf } from '@cni/types'
import { IptablesError } from '../errors.ts'
import type { Family } from '../rules/model.ts'
import { packageHint, privilegeHint } from './hints.ts'
import type { IptablesPort } from './port.ts'

/** Error of `iptables-restore` or `iptables-save`, with the number of the refused input line. */
export class RestoreError extends IptablesError {
  /** Number of the refused input line; `undefined` if the program does not report the line. */
  readonly line: number | undefined
  /** False if the program could not be started. */
  readonly ran: boolean

  constructor(code: IptablesError['code'], message: string, line: number | undefined, parts: ErrorParts) {
    super(code, message, parts)
    this.line = line
    this.ran = parts.ran
  }

  /** True if an `iptables-restore` failed because a chain already exists: the refused line creates the chain (`-N`). */
  get conflict(): boolean {
    return this.line !== undefined && /^(-N|--new-chain)\s/.test(lineOf(this.input ?? '', this.line))
  }
}

/** Converts the failure of an iptables program to an error with the refused rule. */
export async function failure(
  error: RunError,
  program: string,
  family: Family,
  port: IptablesPort,
  input = '',
): Promise<RestoreError> {
  const parts = { cause: error, stderr: error.stderr, input, ran: !neverStarted.has(error.code) }
  const denied = error.code === 'NOT_EXECUTABLE' ? denial(error.cause) : undefined
  if (denied !== undefined) {
    const message = `${program} is there, but may not be started (${denied}); ${startHint}`
    return new RestoreError('DENIED', message, undefined, parts)
  }
  if (error.code === 'NOT_FOUND' || error.code === 'NOT_EXECUTABLE') {
    return new RestoreError('NO_BINARY', `${program} cannot be run (${error.code}); ${packageHint}`, undefined, parts)
  }
  if (error.code === 'ABORTED' || error.code === 'TIMEOUT') {
    const why = error.code === 'ABORTED' ? 'was aborted' : `did not end within ${Math.round(error.durationMs)} ms`
    return new RestoreError(error.code, `${program} ${why}`, undefined, parts)
  }
  if (!parts.ran) {
    const reason = error.cause instanceof Error ? error.cause.message : error.code
    return new RestoreError('EXIT', `${program} could not be started: ${reason}`, undefined, parts)
  }
  const line = /\bline:? (\d+)/.exec(error.stderr)?.[1]
  const number = line === undefined ? undefined : Number(line)
  const [code, hint] = await explain(error.stderr, family, port, input, number)
  const refused = number === undefined ? '' : ` at line ${number} (${JSON.stringify(lineOf(input, number))})`
  const status = error.exitCode === null ? `signal ${error.signal}` : `exit code ${error.exitCode}`
  const message = `${program} failed with ${status}${refused}: ${firstWords(error.stderr)}${hint === '' ? '' : `; ${hint}`}`
  return new RestoreError(code, message, number, parts)
}

// internal

const startHint = 'do AppArmor, SELinux, seccomp or the mode of its interpreter forbid it?'

/** Errno (EACCES or EPERM) if the kernel did not permit the start of a program. `undefined` for other failures. */
function denial(cause: unknown): string | undefined {
  const errno = errnoOf(cause)
  return errno === 'EACCES' || errno === 'EPERM' ? errno : undefined
}

const neverStarted: ReadonlySet<string> = new Set(['NOT_FOUND', 'NOT_EXECUTABLE', 'BUSY', 'SPAWN'])

interface ErrorParts {
  readonly ran: boolean
  readonly cause?: unknown
  readonly stderr?: string
  readonly input?: string
}

async function explain(
  stderr: string,
  family: Family,
  port: IptablesPort,
  input: string,
  line: number | undefined,
): Promise<[IptablesError['code'], string]> {
  const lock = /can't open lock file (\S+): (.*)/.exec(stderr)
  if (lock !== null) {
    return [/denied|permitted|Read-only/.test(lock[2] ?? '') ? 'DENIED' : 'EXIT', lockHint(lock[1] ?? '')]
  }
  if (/holding the xtables lock/.test(stderr))
    return ['LOCKED', 'another iptables holds the lock; raise the option waitSeconds']
  if (/Permission denied|Operation not permitted|must be root/.test(stderr)) return ['DENIED', privilegeHint]
  if (/Address family not supported/.test(stderr)) {
    return ['NO_MODULE', `the kernel has no ${family} here; leave it out of the option families`]
  }
  const table = /(?:can't|unable to) initialize (?:\w+ )?table [`'](\w+)'/.exec(stderr)?.[1]
  if (table !== undefined) {
    if (await lacks(port, CAP_NET_ADMIN)) return ['DENIED', privilegeHint]
    if (await lacks(port, CAP_NET_RAW)) return ['DENIED', 'the legacy back end needs CAP_NET_RAW besides CAP_NET_ADMIN']
    const module = `load the kernel module ${family === 'ipv4' ? 'iptable' : 'ip6table'}_${table}`
    return ['NO_MODULE', (await mapsUsers(port)) ? `${module}; if it is loaded, ${privilegeHint}` : module]
  }
  // iptables warns about every missing extension, but `-N` needs no extension.
  const refused = line === undefined ? '' : lineOf(input, line)
  if (/^(-N|--new-chain)\s/.test(refused)) return ['EXIT', '']
  const extension = /Extension (\w+) revision \d+ not supported|[Mm]issing kernel module\W+(\w+)/.exec(stderr)
  if (extension !== null) return ['NO_MODULE', `load the kernel module ${moduleOf(extension[1] ?? extension[2] ?? '')}`]
  if (/Failed to initialize nft|rule set generation id|Protocol not supported/.test(stderr)) {
    return ['NO_MODULE', 'load the kernel module nf_tables, or use the legacy back end']
  }
  const library = /Couldn't load (?:match|target) `([^']+)'/.exec(stderr)?.[1]
  if (library !== undefined) return ['EXIT', `${library} is neither a chain nor an extension that iptables has`]
  const missing = await missingModules(family, port, input, line)
  if (missing.length > 0) return ['NO_MODULE', `the kernel does not have ${missing.map(moduleOf).join(', ')}`]
  if (/RULE_(?:APPEND|INSERT) failed \(No such file or directory\)/.test(stderr)) {
    const used = usedModules([refused]).map(moduleOf)
    return ['NO_MODULE', `load the kernel modules ${['nft_compat', ...used].join(', ')}`]
  }
  if (await refusesOwner(port, input, line)) {
    return ['EXIT', 'in a user namespace only users and groups that it maps can be matched, see its uid_map']
  }
  // The legacy back end names only the line COMMIT, and not the refused rule.
  if (refused === 'COMMIT') return ['EXIT', 'the kernel refused a rule of this table; its log (dmesg) may say why']
  return ['EXIT', '']
}

const lockHint = (path: string) => `the lock ${path} must be a file that can be written; see XTABLES_LOCKFILE`

const CAP_NET_ADMIN = 12n
const CAP_NET_RAW = 13n

async function lacks(port: IptablesPort, capability: bigint): Promise<boolean> {
  const effective = /^CapEff:\s*([0-9a-f]+)/m.exec((await port.read('/proc/thread-self/status')) ?? '')?.[1]
  return effective !== undefined && ((BigInt(`0x${effective}`) >> capability) & 1n) === 0n
}

/** True if a refused rule may name a user that the user namespace lacks. */
async function refusesOwner(port: IptablesPort, input: string, line: number | undefined): Promise<boolean> {
  const lines = input.split('\n').slice(0, line)
  const table = lines.slice(lines.lastIndexOf('COMMIT', -2) + 1)
  if (!table.some((each) => / --[ug]id-owner /.test(each))) return false
  return mapsUsers(port)
}

/** True if this process is in a user namespace other than the initial one. */
async function mapsUsers(port: IptablesPort): Promise<boolean> {
  const map = await port.read('/proc/thread-self/uid_map')
  return map !== undefined && map.trim() !== '' && !/^\s*0\s+0\s+4294967295\s*$/.test(map)
}

/** Finds the matches and targets that a refused table needs and the kernel lacks. */
async function missingModules(
  family: Family,
  port: IptablesPort,
  input: string,
  line: number | undefined,
): Promise<string[]> {
  if (line === undefined || lineOf(input, line) !== 'COMMIT') return []
  const prefix = `/proc/thread-self/net/${family === 'ipv4' ? 'ip' : 'ip6'}_tables_`
  const [matches, targets] = [await port.read(`${prefix}matches`), await port.read(`${prefix}targets`)]
  if (matches === undefined || targets === undefined) return []
  const has = new Set([...matches.split('\n'), ...targets.split('\n')])
  const before = input.split('\n').slice(0, line - 1)
  return usedModules(before.slice(before.lastIndexOf('COMMIT') + 1)).filter((name) => !has.has(name))
}

const lineOf = (input: string, line: number) => input.split('\n')[line - 1] ?? ''

/** First two lines of a program's stderr. Omits the program's name and version, and references to its help. */
function firstWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^\S*tables\S*(?: v[\d.]+ \(\w+\))?:\s*/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('Try `') && !line.startsWith('#'))
  return lines.slice(0, 2).join('; ') || 'it printed no reason'
}

/** Name of the kernel module for a match or target of iptables. */
function moduleOf(name: string): string {
  if (name === 'tcp' || name === 'udp') return 'xt_tcpudp'
  if (name === 'icmp' || name === 'icmp6') return 'ip_tables'
  return `xt_${name}`
}

/** Names of the matches and targets that occur in restore lines, each once. */
function usedModules(lines: readonly string[]): string[] {
  const chains = new Set(lines.map((line) => /^(?:-N |:)(\S+)/.exec(line)?.[1]))
  const used = new Set<string>()
  for (const line of lines) {
    for (const [, kind, name = ''] of line.matchAll(/ (-[mj]) (\S+)/g)) {
      if (kind === '-m' || (!chains.has(name) && !verdicts.has(name) && /^[A-Z]+$/.test(name))) used.add(name)
    }
    const protocol = / --[ds]port /.test(line) ? / -p (tcp|udp) /.exec(line)?.[1] : undefined
    if (protocol !== undefined) used.add(protocol)
  }
  return [...used]
}

const verdicts = new Set(['ACCEPT', 'DROP', 'RETURN', 'QUEUE'])
