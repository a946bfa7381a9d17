import type { NetnsContext } from '@cni/netns/handle'
import type { RetryOptions } from '@cni/nftables/wire'
import { savedText } from '../decode/read-tables.ts'
import { notModelled } from '../encode/encoded.ts'
import { IptablesError } from '../errors.ts'
import { NotModelled } from '../netlink/compile.ts'
import { deleteEmptyTables, type MayDelete } from '../netlink/empty-tables.ts'
import { editFamilies, readFamilies } from '../netlink/netlink-rules.ts'
import { parseSave, type SavedTables } from '../parse/saved-tables.ts'
import { families as bothFamilies, type Family, type Rule, type Ruleset, rulesFor } from '../rules/model.ts'
import { type Backend, type Backends, chooseBackend } from '../run/backend.ts'
import { NftOpener } from '../run/nft-opener.ts'
import type { IptablesPort } from '../run/port.ts'
import { runProgram } from '../run/run-program.ts'
import type { SessionOptions, Uncancelled, UntilCommitted } from '../run/session-options.ts'
import { settle } from '../settle.ts'
import type { Steps } from '../steps/steps.ts'
import type { Accepted } from '../steps/write-until-accepted.ts'
import { ruleLine } from '../text/quote.ts'
import { ruleArgs } from '../text/rule-args.ts'

/** Access to the rules of one namespace: chooses the back end and the families, reads and writes. */
export interface Session {
  /** Chooses the namespace's back ends, and caches the result. */
  backends(rules?: Ruleset): Promise<Backends>
  /** IP families whose rules are read and written. */
  families(): Promise<readonly Family[]>
  /** IP families that a call must handle. Includes families without new rules, because old rules may remain there. */
  familiesFor(backend: Backend, rules?: Ruleset): Promise<readonly Family[]>
  save(backend: Backend, family: Family, how?: Uncancelled): Promise<string>
  /** Reads the rules and chains of a back end in some IP families. */
  read(backend: Backend, families: readonly Family[], how?: Uncancelled): Promise<SavedTables[]>
  /** Writes the changes in one netlink transaction, or returns `undefined` if programs must write. */
  editByNetlink(
    backend: Backend,
    families: readonly Family[],
    plan: (seen: SavedTables) => Steps,
    how?: Uncancelled,
  ): Promise<Accepted[] | undefined>
  /**
   * Deletes the namespace's empty iptables tables from nf_tables, with `deleteEmptyTables`. Returns `false` if netlink
   * cannot be used.
   */
  deleteEmptyTables(mayDelete: MayDelete): Promise<boolean>
  /**
   * Writes a restore text with `iptables-restore`. Rejects with a `RestoreError`. Starts no process for an empty text.
   */
  restore(backend: Backend, family: Family, text: string, how?: Uncancelled & UntilCommitted): Promise<void>
  /** Throws if the caller's signal has aborted. */
  throwIfAborted(): void
  readonly log: NetnsContext['log']
}

/** Creates the access to a namespace's iptables rules over an `IptablesPort`. */
export function openSession(port: IptablesPort, options: SessionOptions): Session {
  let backends: Promise<Backends> | undefined
  let wroteLegacy = false
  const nftables = new NftOpener(port, options.programs)
  const throwIfAborted = () => {
    if (options.signal?.aborted === true) throw new IptablesError('ABORTED', 'iptables: aborted by the caller')
  }
  const byProgramsOnly = (what: string) =>
    new IptablesError('NO_BINARY', `${what}, which the option programs: 'never' rules out`)
  const run = (
    argv: readonly [string, ...string[]],
    family: Family,
    input?: string,
    how: Uncancelled & UntilCommitted = {},
  ) => runProgram(port, options, { argv, family, input, ...how })
  const save = async (backend: Backend, family: Family, how?: Uncancelled) => {
    if (options.programs === 'never') throw byProgramsOnly(`the ${backend.kind} back end is read by programs here`)
    return (await run([backend.save(family)], family, undefined, how)).stdout
  }
  const findBackends = () =>
    chooseBackend(port, options, {
      read: async (argv, family) => (await run(argv, family)).stdout,
      reachesNetlink: () => nftables.works(),
    }).catch((error: unknown) => {
      // Clears the cached back ends after a failure, because a later call may succeed.
      backends = undefined
      throw error
    })
  const retryOptionsOf = ({ uncancelled }: Uncancelled = {}): RetryOptions =>
    uncancelled === true ? {} : { signal: options.signal }
  const families = async () => options.families ?? (await availableFamilies(port))
  return {
    log: options.log,
    throwIfAborted,
    backends: async (rules) => {
      backends ??= findBackends()
      const found = { ...(await backends), ...(wroteLegacy && { legacyTables: true }) }
      const { chosen, other } = found
      const mustCheck = rules !== undefined && (chosen.netlink || other?.netlink === true)
      const unsupported = mustCheck ? notModelled(rules, await families()) : undefined
      if (unsupported === undefined) return found
      if (options.programs === 'never') throw byProgramsOnly(`only a program can write ${ruleCommandText(unsupported)}`)
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
      const [read] = nft === undefined ? [] : await readFamilies(nft, [family], retryOptionsOf(how))
      return read === undefined ? save(backend, family, how) : savedText(read)
    },
    async read(backend, list, how = {}) {
      if (how.uncancelled !== true) throwIfAborted()
      const nft = backend.netlink ? nftables.open() : undefined
      if (nft !== undefined) return readFamilies(nft, list, retryOptionsOf(how))
      return settle(list.map(async (family) => parseSave(await save(backend, family, how), family)))
    },
    async editByNetlink(backend, list, plan, how = {}) {
      if (how.uncancelled !== true) throwIfAborted()
      const nft = backend.netlink ? nftables.open() : undefined
      if (nft === undefined) return undefined
      const begun = performance.now()
      const done = await editFamilies(nft, list, plan, retryOptionsOf(how))
      if (done instanceof NotModelled) {
        if (options.programs === 'never') throw byProgramsOnly(`only a program can write ${done.message}`)
        return undefined
      }
      const ms = performance.now() - begun
      options.log?.debug('iptables by netlink', { ms: Math.round(ms), families: list })
      return done
    },
    async deleteEmptyTables(mayDelete) {
      throwIfAborted()
      const nft = nftables.open()
      return nft !== undefined && deleteEmptyTables(nft, mayDelete, retryOptionsOf())
    },
    restore: async (backend, family, text, how) => {
      if (text === '') return
      if (options.programs === 'never') throw byProgramsOnly(`the ${backend.kind} back end is written by programs here`)
      // Only legacy has a lock. Legacy programs before iptables 1.6.2 lack `--wait`.
      if (backend.kind === 'iptables-legacy' && !wroteLegacy) {
        wroteLegacy = true
        port.remember?.(undefined)
      }
      const wait = backend.kind === 'iptables-legacy' ? [`--wait=${options.waitSeconds}`] : []
      await run([backend.restore(family), '--noflush', ...wait], family, text, how)
    },
  }
}

// internal

const ruleCommandText = (rule: Rule) => `-A ${rule.chain} ${ruleLine(ruleArgs(rule, rule.family ?? 'ipv4'))}`

/** IP families of the kernel. IPv6 counts even if disabled, because this may change. */
async function availableFamilies(port: IptablesPort): Promise<readonly Family[]> {
  if (withIpv6.has(port)) return bothFamilies
  if ((await port.read('/proc/thread-self/net/if_inet6')) === undefined) return ['ipv4']
  withIpv6.add(port)
  return bothFamilies
}

/** Caches that the kernel has IPv6, because a kernel does not lose IPv6. */
const withIpv6 = new WeakSet<IptablesPort>()
