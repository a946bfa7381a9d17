import { type IptablesOptions, type Ruleset as IptablesRuleset, iptables, type Ruleset } from '@cni/iptables'
import { driftText as iptablesDriftText } from '@cni/iptables/rules'
import { istioRestoreText } from '@cni/istio-rules'
import { isNetnsError, type NetnsTarget, readFile } from '@cni/netns'
import { nftables } from '@cni/nftables'
import { type Ruleset as NftRuleset, driftText as nftDriftText } from '@cni/nftables/rules'
import { watch as watchTables } from '@cni/nftables/watch'
import { isNftError, openNft } from '@cni/nftables/wire'
import { provenChains } from './proven-chains.ts'
import { writeFresh } from './write-fresh.ts'

/** How rules are written. */
export interface RulesOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** As tables of nf_tables instead of by iptables. Default: false. */
  readonly native?: boolean | undefined
  /** Chains of Istio's that are none of these rules, and what leads to them, are taken out. Default: true. */
  readonly reconcile?: boolean | undefined
}

/** `fresh`: nothing of ours was there. `reconcile`: something was, and differed. `unchanged`: nothing was written. */
export type RulesPlan = 'fresh' | 'reconcile' | 'unchanged'

/** The same rules for both back ends. */
export interface RulesOfBoth {
  readonly iptables: IptablesRuleset
  /** Tables that are wanted, looked at only where they are written natively, and all that are ours in any mode. */
  readonly nftables: { readonly wanted: NftRuleset; readonly all: NftRuleset }
}

/** Rules of ours in a namespace. */
export interface InstalledRules {
  /**
   * Brings them in, and takes those out that the other back end may have. When it fails nothing has changed. `generation`:
   * the kernel's count of changes of nf_tables from then on, where it is known; as long as it counts so the rules are there.
   */
  apply(): Promise<{ readonly plan: RulesPlan; readonly generation?: number | undefined }>
  /** What is not as {@link InstalledRules.apply} would leave it, in words. */
  drift(): Promise<string[]>
  /** What either back end has, where nothing should be, in words. */
  present(): Promise<string[]>
  /** Takes out what either back end has. */
  remove(): Promise<void>
  /** Takes out what nobody else of Istio's can have written; returns whether there was any. */
  removeProven(): Promise<boolean>
  /** Looks again and again until the signal, and tells each time what is not as it should be on the back end in use. */
  watch(signal: AbortSignal): AsyncGenerator<RulesLook, void, void>
}

/** What a look at rules found: differences in words, or why it could not be told. */
export type RulesLook = { readonly drift: readonly string[] } | { readonly error: unknown }

/** The rules of a namespace by the back end that the options say. */
export function installedRules(netns: NetnsTarget, rules: RulesOfBoth, options: RulesOptions = {}): InstalledRules {
  // What is left by iptables is looked for in both of its back ends, which that of nft does.
  const by: RulesOptions = options.native === true ? { ...options, backend: 'iptables-nft' } : options
  const both = { iptables: byIptables(netns, rules.iptables, by), nftables: byNftables(netns, rules.nftables) }
  const [used, other] = options.native === true ? [both.nftables, both.iptables] : [both.iptables, both.nftables]
  return {
    async apply() {
      if (by.native !== true && by.backend === 'iptables-nft' && by.programs !== 'always') {
        const generation = writeFresh(netns, rules.iptables)
        if (generation !== undefined) return { plan: 'fresh', generation }
      }
      const { plan, undo } = await used.apply()
      await orUndo(undo, () => other.remove())
      return { plan }
    },
    drift: async () => [...(await used.drift()), ...(await other.present())],
    present: async () => [...(await used.present()), ...(await other.present())],
    async remove() {
      // Where nothing is, nothing has to be freed: what comes after a deletion waits 10 ms for that.
      await other.remove()
      await used.remove()
    },
    async removeProven() {
      const isNative = (await both.nftables.present()).length > 0
      if (isNative) await both.nftables.remove()
      const chains = await provenChains(netns, rules.iptables.chains)
      if (chains.length > 0)
        await iptables(netns, { backend: by.backend, programs: by.programs }).remove({ chains, rules: [] })
      return isNative || chains.length > 0
    },
    watch: (signal) => used.watch(signal),
  }
}

/** Whether the legacy back end of iptables has any table in a namespace: of its changes nobody counts. */
export async function hasLegacyTables(netns: NetnsTarget): Promise<boolean> {
  const names = await Promise.all(['ip', 'ip6'].map((family) => readFile(netns, `/proc/net/${family}_tables_names`)))
  return names.some((text) => (text ?? '').trim() !== '')
}

// internal

interface RulesByOne extends Pick<InstalledRules, 'watch'> {
  apply(): Promise<{ readonly plan: RulesPlan; undo(): Promise<void> }>
  drift(): Promise<string[]>
  /** What is there, where nothing should be. */
  present(): Promise<string[]>
  remove(): Promise<void>
}

function byIptables(
  netns: NetnsTarget,
  rules: IptablesRuleset,
  { backend, programs, reconcile = true }: RulesOptions,
): RulesByOne {
  const tables = iptables(netns, { backend, programs, print: istioRestoreText })
  const wanted = async (): Promise<IptablesRuleset> =>
    reconcile ? { ...rules, chains: withForeignChains(rules.chains, await tables.snapshot()) } : rules
  return {
    apply: async () => tables.apply(await wanted()),
    drift: async () => lines(iptablesDriftText(await tables.diff(await wanted()))),
    present: async () => lines(iptablesDriftText(await tables.diff({ chains: rules.chains, rules: [] }))),
    // Whose the other chains are nobody knows once these are gone.
    remove: () => tables.remove(rules),
    async *watch(signal) {
      const interval = (await tells(netns, backend)) ? TOLD_MS : LOOK_MS
      for await (const event of tables.watch(rules, { signal, interval })) {
        if (event.state === 'drift') yield { drift: lines(iptablesDriftText(event.drift)) }
        if (event.state === 'error') yield { error: event.error }
      }
    },
  }
}

/** Between two looks, where the kernel says whether anything changed; and where processes have to read the rules for it. */
const TOLD_MS = 300
const LOOK_MS = 800

const tells = async (netns: NetnsTarget, backend: RulesOptions['backend']): Promise<boolean> =>
  backend !== 'iptables-legacy' && !(await hasLegacyTables(netns))

/** Chains that something else of Istio's left are taken for ours: those that no rule needs are removed. */
function withForeignChains(
  own: readonly Ruleset['chains'][number][],
  { ipv4, ipv6 }: Awaited<ReturnType<ReturnType<typeof iptables>['snapshot']>>,
): Ruleset['chains'][number][] {
  const key = ({ table, name }: Ruleset['chains'][number]) => `${table} ${name}`
  const found = new Map(own.map((chain) => [key(chain), chain]))
  for (const [table, chains] of [...(ipv4?.tables ?? []), ...(ipv6?.tables ?? [])]) {
    for (const name of chains.keys()) if (istioChain.test(name)) found.set(key({ table, name }), { table, name })
  }
  return [...found.values()]
}

const istioChain = /^ISTIO_[\w.-]{1,22}$/

function byNftables(netns: NetnsTarget, rules: RulesOfBoth['nftables']): RulesByOne {
  const kernel = nftables(netns)
  const needless = () => {
    const wanted = new Set(rules.wanted.tables.map(({ name }) => name))
    return rules.all.tables.filter(({ name }) => !wanted.has(name))
  }
  const present = async (tables: NftRuleset['tables']): Promise<string[]> => {
    using nft = openNft(netns)
    const there = new Set(nft.tables({ family: 'inet' }).map(({ table }) => table))
    return tables.flatMap(({ name }) => (there.has(name) ? [`unexpected table inet ${name}`] : []))
  }
  return {
    async apply() {
      const { plan, undo } = await kernel.apply(rules.wanted)
      const tables = needless()
      if (tables.length > 0) await orUndo(undo, () => kernel.remove({ tables }))
      return { plan: plan === 'replace' ? 'reconcile' : plan, undo }
    },
    drift: async () => [...lines(nftDriftText(await kernel.diff(rules.wanted))), ...(await present(needless()))],
    present: () => unlessUnsupported(() => present(rules.all.tables), []),
    remove: () => unlessUnsupported(async () => void (await kernel.remove(rules.all)), undefined),
    async *watch(signal) {
      for await (const event of watchTables(netns, rules.wanted, { signal, interval: TOLD_MS })) {
        if (event.state === 'drift') yield { drift: lines(nftDriftText(event.drift)) }
        if (event.state === 'error') yield { error: event.error }
      }
    },
  }
}

/** Without nf_tables in the kernel, or a way to reach it, nothing of ours is in it. */
async function unlessUnsupported<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isNftError(error) && error.code === 'UNSUPPORTED') return otherwise
    if (isNetnsError(error) && error.code === 'NO_FFI') return otherwise
    throw error
  }
}

async function orUndo(undo: () => Promise<void>, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await undo()
    throw error
  }
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')
