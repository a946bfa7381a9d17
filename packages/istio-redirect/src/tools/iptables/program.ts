import { type Iptables, type IptablesBackend, iptables, type Ruleset } from '@cni/iptables'
import { chainsFor, driftText, type Family, parseSave } from '@cni/iptables/rules'
import {
  type CaptureConfig,
  capturedFamilies,
  istioRestoreText,
  redirectRules,
  rulesLeftBehind,
} from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import type { ApplyPlan, Backend } from '../../backend.ts'
import { networkOf } from '../../decide/record.ts'
import { openNetwork, type RecordedNetwork, removeFromNamespace } from '../../namespace/namespace-network.ts'
import { clearNativeTables } from '../../namespace/native-tables.ts'
import type { ToolLog } from './log.ts'

/** Inputs of {@link program}, which writes or removes rules: namespace, configuration, back end and flags. */
export interface Program {
  readonly target: NetnsTarget
  readonly config: CaptureConfig
  readonly backend: IptablesBackend | 'auto'
  readonly reconcile: boolean
  readonly cleanupOnly: boolean
  readonly forceApply: boolean
  readonly signal: AbortSignal
  readonly log: ToolLog
}

/** Result of writing or removing the rules with {@link program}. */
export interface ProgramReport {
  readonly plan: ApplyPlan | 'removed'
  readonly backend: Backend
  readonly families: readonly Family[]
}

/** Writes or removes a namespace's redirection by iptables. Rolls back all changes on an error. */
export async function program(job: Program): Promise<ProgramReport> {
  const { config, log } = job
  const undo: Array<() => unknown> = []
  const where = whereOf(job, undo)
  const kernel = iptables(where, { print: istioRestoreText, backend: job.backend })
  const families: readonly Family[] = capturedFamilies(config)
  if (job.cleanupOnly) {
    await cleanUp(job, kernel)
    return { plan: 'removed', backend: await kernel.backend(), families }
  }
  const rules = redirectRules(config)
  using network = await openNetwork(job.target, networkOf(config))
  try {
    // Removes native nftables rules first, because nftables and iptables rules would both process every packet.
    if (await clearNativeTables(where)) log.info('Removed the rules of native nftables')
    const plan = await writeRules(job, kernel, rules, families)
    await network.prepare((step) => undo.push(step))
    return { plan, backend: await kernel.backend(), families }
  } catch (error) {
    for (const step of undo.toReversed()) await step()
    throw error
  }
}

/**
 * Builds the context of the rule writers from the command's inputs. The rule writers append rollback steps to `undo`.
 */
export function whereOf({ target, signal, log }: Pick<Program, 'target' | 'signal' | 'log'>, undo: (() => unknown)[]) {
  return {
    netns: target,
    signal,
    undo: (step: () => unknown) => void undo.push(step),
    log: { debug: (text: string) => log.debug(text), warn: (text: string) => log.warn(text) },
  }
}

async function cleanUp({ target, config, log }: Program, kernel: Iptables): Promise<void> {
  log.info('Performing cleanup of existing iptables')
  await kernel.remove(redirectRules({ ...config, ipv6: true }))
  await kernel.remove(rulesOfOtherMode(config))
  await removeFromNamespace(target, everyNetworkOf(config))
}

async function writeRules(job: Program, kernel: Iptables, rules: Ruleset, families: readonly Family[]) {
  const { log } = job
  if (!(await anyChain(kernel, rules, families))) {
    log.info('Clean-state detected, new iptables are needed')
    log.info('Applying iptables chains and rules')
    return (await kernel.apply(rules)).plan
  }
  const drift = driftText(await kernel.diff(rules))
  if (drift === '') {
    log.info('Found compatible residues of old iptables rules/chains, reconciliation not needed')
    if (job.forceApply) throw new Error('--force-apply: the chains exist already; --cleanup-only removes them')
    return 'unchanged'
  }
  log.info('Found residues of old iptables rules/chains, reconciliation is recommended')
  if (!job.reconcile) {
    throw new Error(
      `the namespace already has our rules, and they differ. Nothing was changed; --reconcile corrects them. The difference:\n${drift}`,
    )
  }
  log.info('Performing cleanup of existing iptables')
  const { plan } = await kernel.apply(rules)
  await kernel.remove(rulesOfOtherMode(job.config))
  await removeFromNamespace(job.target, everyNetworkOf(job.config), networkOf(job.config))
  return plan
}

/** Builds the rules of the unused interception mode: TPROXY for REDIRECT, and vice versa. */
function rulesOfOtherMode(config: CaptureConfig): Ruleset {
  const interceptionMode = config.interceptionMode === 'TPROXY' ? 'REDIRECT' : 'TPROXY'
  const other = redirectRules({ ...config, interceptionMode, ipv6: true })
  return { chains: [], rules: rulesLeftBehind(other, redirectRules({ ...config, ipv6: true })) }
}

/** True if the namespace already has a chain of the ruleset. */
async function anyChain(kernel: Iptables, rules: Ruleset, families: readonly Family[]): Promise<boolean> {
  for (const family of families) {
    const { tables } = parseSave(await kernel.save(family), family)
    if (chainsFor(rules, family).some(({ table, name }) => tables.get(table)?.has(name))) return true
  }
  return false
}

/** Returns the network settings that an earlier run, by REDIRECT or TPROXY, may have left behind. */
export const everyNetworkOf = ({ tproxyMark: mark, tproxyRouteTable: table }: CaptureConfig): RecordedNetwork => ({
  families: ['ipv4', 'ipv6'],
  tproxy: { mark, table },
})
