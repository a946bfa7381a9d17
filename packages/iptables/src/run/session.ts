import { type Argv, isRunError } from '@cni/host'
import { debugFor } from '@cni/host/debug'
import type { LibraryLog } from '@cni/netns/handle'
import type { Accepted } from '../apply/write-until-accepted.ts'
import { IptablesError } from '../errors.ts'
import { NotModelled } from '../netlink/compile.ts'
import { notModelled } from '../netlink/encoded.ts'
import { editFamilies, readFamilies } from '../netlink/netlink-rules.ts'
import { savedText } from '../netlink/read-tables.ts'
import { parseSave, type SavedTables } from '../parse/saved-tables.ts'
import { families as bothFamilies, type Family, type Rule, type Ruleset, rulesFor } from '../rules/model.ts'
import { settle } from '../settle.ts'
import type { Steps } from '../state/steps.ts'
import { ruleLine } from '../text/quote.ts'
import { ruleArgs } from '../text/rule-args.ts'
import { type Backend, type BackendKind, type Backends, chooseBackend, noBinary, type Programs } from './backend.ts'
import { failure } from './failure.ts'
import { lateSignal } from './late-signal.ts'
import { NftOpener } from './nft-opener.ts'
import type { IptablesPort } from './port.ts'

/** What a session needs to know. */
export interface SessionOptions {
  readonly backend: BackendKind | 'auto'
  readonly programs: Programs
  readonly families: readonly Family[] | undefined
  /** Seconds to wait for the lock of the legacy back end. */
  readonly waitSeconds: number
  readonly signal: AbortSignal | undefined
  readonly log: LibraryLog | undefined
}

/** One namespace seen through one back end: reads it, writes it, knows which families count. */
export interface Session {
  /** The back ends, found out once. Programs read and write those that hold a ruleset with a rule that only they can write. */
  backends(rules?: Ruleset): Promise<Backends>
  /** The families to work on. */
  families(): Promise<readonly Family[]>
  /**
   * Those of them that a call with a ruleset has to do with in a back end. A family of which the ruleset says nothing is
   * only looked at, for what an older one left, and there is nothing to look with where its program is not installed.
   */
  familiesFor(backend: Backend, rules?: Ruleset): Promise<readonly Family[]>
  save(backend: Backend, family: Family, how?: Uncancelled): Promise<string>
  /** What a back end holds in some families. */
  read(backend: Backend, families: readonly Family[], how?: Uncancelled): Promise<SavedTables[]>
  /**
   * Reads, plans and writes some families in one transaction by netlink. `undefined` where that cannot be: then nothing
   * was written, and programs have to do it.
   */
  editByNetlink(
    backend: Backend,
    families: readonly Family[],
    plan: (seen: SavedTables) => Steps,
    how?: Uncancelled,
  ): Promise<Accepted[] | undefined>
  /** Rejects with a `RestoreError`. An empty text is no process. */
  restore(backend: Backend, family: Family, text: string, how?: Uncancelled & UntilCommitted): Promise<void>
  /** Throws when the caller has given up meanwhile. */
  throwIfAborted(): void
  readonly log: LibraryLog | undefined
}

/** For steps that must still run after an abort: taking back what was written. */
export interface Uncancelled {
  readonly uncancelled?: true
}

/** For a restore of the nft back end that deletes, when nothing waits for its program: it is left to end by itself. */
export interface UntilCommitted {
  /** The number of transactions in the text. */
  readonly commits?: number
}

/** Opens a session over a port. Nothing runs before the first call. */
export function openSession(port: IptablesPort, options: SessionOptions): Session {
  let backends: Promise<Backends> | undefined
  let wroteLegacy = false
  const nftables = new NftOpener(port, options.programs)
  const throwIfAborted = () => {
    if (options.signal?.aborted === true) throw new IptablesError('ABORTED', 'iptables: aborted by the caller')
  }
  const byProgramsOnly = (what: string) =>
    new IptablesError('NO_BINARY', `${what}, which the option programs: 'never' rules out`)
  const run = async (argv: Argv, family: Family, input?: string, how: Uncancelled & UntilCommitted = {}) => {
    if (port.find(argv[0]) === undefined) throw noBinary(argv[0])
    const signal = how.uncancelled === true ? undefined : options.signal
    if (signal?.aborted === true) throw new IptablesError('ABORTED', `${argv[0]} was not started: aborted`)
    const late = input === undefined || signal === undefined ? undefined : lateSignal(signal, port.read)
    try {
      const given = {
        ...(input === undefined ? undefined : { input }),
        signal: late?.signal ?? signal,
        timeout: how.uncancelled === true ? undoTimeout : (options.waitSeconds + 30) * 1000,
      }
      const result = await (how.commits === undefined || port.runUntilCommitted === undefined
        ? port.run(argv, given)
        : port.runUntilCommitted(argv, { ...given, commits: how.commits }))
      options.log?.debug(argv.join(' '), { ms: Math.round(result.durationMs), ...(input !== undefined && { input }) })
      debugFor('iptables')?.(argv.join(' '), { family, lines: input?.split('\n').length, ms: result.durationMs })
      return result
    } catch (error) {
      if (!isRunError(error)) throw error
      const refused = await failure(error, argv.join(' '), family, port, input)
      options.log?.debug(refused.message, { code: refused.code })
      debugFor('iptables')?.(argv.join(' '), { family, refused: refused.code, error: refused })
      throw refused
    } finally {
      late?.dispose()
    }
  }
  const save = async (backend: Backend, family: Family, how?: Uncancelled) => {
    if (options.programs === 'never') throw byProgramsOnly(`the ${backend.kind} back end is read by programs here`)
    return (await run([backend.save(family)], family, undefined, how)).stdout
  }
  const findBackends = () =>
    chooseBackend(port, options, {
      read: async (argv, family) => (await run(argv, family)).stdout,
      reachesNetlink: () => nftables.works(),
    }).catch((error: unknown) => {
      // A later call may have more luck.
      backends = undefined
      throw error
    })
  const families = async () => options.families ?? (await availableFamilies(port))
  return {
    log: options.log,
    throwIfAborted,
    backends: async (rules) => {
      backends ??= findBackends()
      const found = { ...(await backends), ...(wroteLegacy && { legacyTables: true }) }
      const { chosen, other } = found
      const asked = rules !== undefined && (chosen.netlink || other?.netlink === true)
      const odd = asked ? notModelled(rules, await families()) : undefined
      if (odd === undefined) return found
      if (options.programs === 'never') throw byProgramsOnly(`only a program can write ${oddText(odd)}`)
      const byPrograms = { netlink: false }
      return { ...found, chosen: { ...chosen, ...byPrograms }, ...(other && { other: { ...other, ...byPrograms } }) }
    },
    families,
    familiesFor: async (backend, rules) => {
      const all = await families()
      if (options.families !== undefined) return all
      const has = (family: Family) => rules !== undefined && rulesFor(rules, family).length > 0
      return all.filter((family) => has(family) || backend.netlink || port.find(backend.save(family)) !== undefined)
    },
    async save(backend, family, how) {
      const nft = backend.netlink ? nftables.open() : undefined
      const [read] = nft === undefined ? [] : readFamilies(nft, [family])
      return read === undefined ? save(backend, family, how) : savedText(read)
    },
    async read(backend, list, how = {}) {
      if (how.uncancelled !== true) throwIfAborted()
      const nft = backend.netlink ? nftables.open() : undefined
      if (nft !== undefined) return readFamilies(nft, list)
      return settle(list.map(async (family) => parseSave(await save(backend, family, how), family)))
    },
    async editByNetlink(backend, list, plan, how = {}) {
      if (how.uncancelled !== true) throwIfAborted()
      const nft = backend.netlink ? nftables.open() : undefined
      if (nft === undefined) return undefined
      const begun = performance.now()
      const done = editFamilies(nft, list, plan)
      if (done instanceof NotModelled) {
        if (options.programs === 'never') throw byProgramsOnly(`only a program can write ${done.message}`)
        return undefined
      }
      const ms = performance.now() - begun
      options.log?.debug('iptables by netlink', { ms: Math.round(ms), families: list })
      return done
    },
    restore: async (backend, family, text, how) => {
      if (text === '') return
      if (options.programs === 'never') throw byProgramsOnly(`the ${backend.kind} back end is written by programs here`)
      // nft has no lock; the legacy programs of iptables before 1.6.2 do not know the option, and are not supported.
      if (backend.kind === 'legacy' && !wroteLegacy) {
        wroteLegacy = true
        port.remember?.(undefined)
      }
      const wait = backend.kind === 'legacy' ? [`--wait=${options.waitSeconds}`] : []
      await run([backend.restore(family), '--noflush', ...wait], family, text, how)
    },
  }
}

const oddText = (rule: Rule) => `-A ${rule.chain} ${ruleLine(ruleArgs(rule, rule.family ?? 'ipv4'))}`

/** What a failed call may still take to leave nothing behind. */
const undoTimeout = 10_000

/** IPv4 always; IPv6 where the kernel has it. Disabled interfaces still count: they may be enabled later. */
async function availableFamilies(port: IptablesPort): Promise<readonly Family[]> {
  return (await port.read('/proc/thread-self/net/if_inet6')) === undefined ? ['ipv4'] : bothFamilies
}

/** Checks a list of families given by a user. */
export function checkFamilies(list: readonly Family[] | undefined): readonly Family[] | undefined {
  if (list === undefined) return undefined
  if (list.length === 0 || list.some((family) => !bothFamilies.includes(family))) {
    throw new IptablesError('INVALID_RULE', `families: ${JSON.stringify(list)} is not a list of 'ipv4' and 'ipv6'`)
  }
  return bothFamilies.filter((family) => list.includes(family))
}
