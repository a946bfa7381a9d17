import { type IptablesOptions, type Ruleset as IptablesRuleset, iptables, type Ruleset } from '@cni/iptables'
import { driftText as iptablesDriftText } from '@cni/iptables/rules'
import { istioRestoreText } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import { nftables } from '@cni/nftables'
import { type Ruleset as NftRuleset, driftText as nftDriftText } from '@cni/nftables/rules'
import { watch as watchTables } from '@cni/nftables/watch'
import { openNft } from '@cni/nftables/wire'
import type { ApplyPlan } from '../../../backend.ts'
import { unlessUnsupported } from '../../../namespace/native-tables.ts'
import { hasLegacyTables } from './legacy-rules.ts'
import { provenChains } from './proven-chains.ts'
import { writeToEmpty } from './write-to-empty.ts'

/** Options that select the back end for the redirection rules. */
export interface RulesOptions extends Pick<IptablesOptions, 'backend' | 'programs'> {
  /** True to write nftables tables instead of iptables rules. Default: false. */
  readonly native?: boolean | undefined
  /** True to also remove unknown Istio chains, for example of another Istio version. Default: true. */
  readonly reconcile?: boolean | undefined
}

/** Redirection rules in two forms with the same effect: for iptables and for nftables. */
export interface RulesByBackend {
  readonly iptables: IptablesRuleset
  /** nftables form of the rules. Tables of `all` that are not in `wanted` are removed. */
  readonly nftables: { readonly wanted: NftRuleset; readonly all: NftRuleset }
}

/** Redirection rules of this project in one network namespace. */
export interface InstalledRules {
  /** Installs the redirection rules. `generation` is the kernel's count of nf_tables changes after the call. */
  apply(): Promise<{ readonly plan: ApplyPlan; readonly generation?: number | undefined }>
  /**
   * Describes differences between the rules of the namespace and the rules that {@link InstalledRules.apply} installs.
   */
  drift(): Promise<string[]>
  /** Lists the existing redirection rules of both back ends as texts. Used for a namespace that should have none. */
  present(): Promise<string[]>
  /** Removes the redirection rules from the namespace, for both back ends. */
  remove(): Promise<void>
  /** Removes only rules that certainly belong to ambient mode. Returns true if it removed any. */
  removeProven(): Promise<boolean>
  /** Checks the redirection rules until the signal aborts. Yields the differences or the error. */
  watch(signal: AbortSignal): AsyncGenerator<RulesCheck, void, void>
}

/** Result of a check of redirection rules: differences as texts, or an error. */
export type RulesCheck = { readonly drift: readonly string[] } | { readonly error: unknown }

/** Creates the manager of the redirection rules in a network namespace. */
export function installedRules(netns: NetnsTarget, rules: RulesByBackend, options: RulesOptions = {}): InstalledRules {
  // Uses `iptables-nft` for former rules, because this back end also finds rules of iptables-legacy.
  const by: RulesOptions = options.native === true ? { ...options, backend: 'iptables-nft' } : options
  const both = { iptables: iptablesRules(netns, rules.iptables, by), nftables: nftablesRules(netns, rules.nftables) }
  const [used, other] = options.native === true ? [both.nftables, both.iptables] : [both.iptables, both.nftables]
  return {
    async apply() {
      if (by.native !== true && by.backend === 'iptables-nft' && by.programs !== 'always') {
        const generation = writeToEmpty(netns, rules.iptables)
        if (generation !== undefined) return { plan: 'fresh', generation }
      }
      const { plan, undo } = await used.apply()
      await orRollBack(undo, () => other.remove())
      return { plan }
    },
    drift: async () => [...(await used.drift()), ...(await other.present())],
    present: async () => [...(await used.present()), ...(await other.present())],
    async remove() {
      // Begins with the unused back end, because each deletion delays all later netlink calls.
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

// internal

interface BackendRules extends Omit<InstalledRules, 'apply' | 'removeProven'> {
  apply(): Promise<{ readonly plan: ApplyPlan; undo(): Promise<void> }>
}

function iptablesRules(
  netns: NetnsTarget,
  rules: IptablesRuleset,
  { backend, programs, reconcile = true }: RulesOptions,
): BackendRules {
  const tables = iptables(netns, { backend, programs, print: istioRestoreText })
  const wanted = async (): Promise<IptablesRuleset> =>
    reconcile ? { ...rules, chains: withUnknownChains(rules.chains, await tables.snapshot()) } : rules
  return {
    apply: async () => tables.apply(await wanted()),
    drift: async () => lines(iptablesDriftText(await tables.diff(await wanted()))),
    present: async () => lines(iptablesDriftText(await tables.diff({ chains: rules.chains, rules: [] }))),
    // Keeps unknown Istio chains, because they may belong to a sidecar instead of ambient mode.
    remove: () => tables.remove(rules),
    async *watch(signal) {
      const interval = (await hasEvents(netns, backend)) ? EVENT_INTERVAL_MS : POLL_INTERVAL_MS
      for await (const event of tables.watch(rules, { signal, interval })) {
        if (event.state === 'drift') yield { drift: lines(iptablesDriftText(event.drift)) }
        if (event.state === 'error') yield { error: event.error }
      }
    },
  }
}

/** Intervals in milliseconds between checks of the rules, with and without kernel events. */
const EVENT_INTERVAL_MS = 300
const POLL_INTERVAL_MS = 800

const hasEvents = async (netns: NetnsTarget, backend: RulesOptions['backend']): Promise<boolean> =>
  backend !== 'iptables-legacy' && !(await hasLegacyTables(netns))

/** Adds existing Istio chains to the managed chains, so that the next apply removes unused chains. */
function withUnknownChains(
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

function nftablesRules(netns: NetnsTarget, rules: RulesByBackend['nftables']): BackendRules {
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
      if (tables.length > 0) await orRollBack(undo, () => kernel.remove({ tables }))
      return { plan, undo }
    },
    drift: async () => [...lines(nftDriftText(await kernel.diff(rules.wanted))), ...(await present(needless()))],
    present: () => unlessUnsupported(() => present(rules.all.tables), []),
    remove: () => unlessUnsupported(async () => void (await kernel.remove(rules.all)), undefined),
    async *watch(signal) {
      for await (const event of watchTables(netns, rules.wanted, { signal, interval: EVENT_INTERVAL_MS })) {
        if (event.state === 'drift') yield { drift: lines(nftDriftText(event.drift)) }
        if (event.state === 'error') yield { error: event.error }
      }
    },
  }
}

async function orRollBack(undo: () => Promise<void>, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await undo()
    throw error
  }
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')
