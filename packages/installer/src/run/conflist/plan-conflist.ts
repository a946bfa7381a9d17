import { join } from 'node:path'
import { alternativeNames, conflistName } from '../../conf/conf-name.ts'
import type { NetFiles, NetReader } from '../../files/net-folder.ts'
import type { Snapshot } from '../../files/read-regular.ts'
import { InstallError, toInstallError } from '../../install-error.ts'
import type { Settings } from '../../options.ts'
import type { Memory } from '../memory.ts'
import { failed, type StepPlan, waiting } from '../step-plan.ts'
import type { ConflistPlan, NetView } from './net-view.ts'
import { planChained } from './plan-chained.ts'
import { planOwned, planStandalone } from './plan-own-file.ts'
import { changesOfFormer, planWithdrawal } from './plan-removal.ts'
import { rememberPrimary } from './remember-primary.ts'

/** Planned changes in the CNI network folder, with the result of the scan on which they are based. */
export interface NetFolderPlan extends ConflistPlan {
  /** Names of the files in the CNI network folder that no container runtime can load, each with the reason. */
  readonly skipped: ReadonlyMap<string, string>
  /** Result of the scan of the CNI network folder. */
  readonly files?: NetFiles
}

/** Input for planning changes of the network configuration. */
export interface PlanOptions {
  readonly now: number
  /** Reason why the plugin cannot work. If set, the plan removes the plugin, so pods still start. */
  readonly withdraw?: string | undefined
  /** Reader that scans the CNI network folder. */
  readonly net: NetReader
}

/** Plans to add the plugin to the network configuration. With `withdraw`, plans to remove the plugin. */
export function planConflist(settings: Settings, memory: Memory, options: PlanOptions): NetFolderPlan {
  let files: NetFiles | undefined
  try {
    files = options.net.scan(namesToRead(settings, memory))
  } catch (error) {
    return { ...failed(toInstallError(error, 'cannot read', settings.netDir)), skipped: new Map() }
  }
  if (files === undefined) return { ...waits(settings, 'the net folder does not exist'), skipped: new Map() }
  const { candidates } = files
  const view = { settings, memory, files, candidates }
  const skipped = candidates.invalid
  try {
    const plan = settings.mode === 'standalone' ? planStandalone(view) : planWithPrimary(view, options)
    return { ...plan, skipped, files }
  } catch (error) {
    return { ...failed(toInstallError(error, 'cannot configure', settings.netDir)), skipped, files }
  }
}

function planWithPrimary(view: NetView, { now, withdraw }: PlanOptions): ConflistPlan {
  const { settings, files } = view
  const choice = rememberPrimary(view, now)
  if (choice.kind === 'hold') return { ...waits(settings, choice.reason), until: choice.until }
  if (choice.kind === 'wait') return waits(settings, choice.reason)
  const { name, preemptedBy } = choice
  const primary = readable(files, name)
  if (withdraw !== undefined) return { ...planWithdrawal(view, name, withdraw), primary: name }
  const former = changesOfFormer(view)
  const plan = settings.ownFile === undefined ? planChained(view, primary, name) : planOwned(view, primary)
  // Adds the plugin to the new file first, because every new pod must get the plugin.
  return { ...plan, changes: [...plan.changes, ...former], primary: name, preemptedBy }
}

/**
 * Scans the CNI network folder again. Always reads the primary configuration and files with the plugin, even if they
 * are unchanged.
 */
export function rescan(settings: Settings, memory: Memory, net: NetReader): NetFiles | undefined {
  return net.scan(namesToRead(settings, memory))
}

/** Files that every scan must read: the primary configuration, and files with the plugin. */
function namesToRead({ confName, ownFile }: Settings, { primary, former, retired }: Memory): Set<string> {
  const chosen = [confName, primary.name].flatMap((one) => one ?? [])
  const others = chosen.flatMap((one) => [conflistName(one), ...alternativeNames(one)])
  return new Set([...chosen, ...others, ...(ownFile === undefined ? [] : [ownFile]), ...former, ...retired])
}

function readable(files: NetFiles, name: string): Snapshot {
  const file = files.read(name)
  if (file === undefined) throw new InstallError('NOT_READABLE', `${name} cannot be read`)
  return file
}

function waits({ netDir, ownFile, confName }: Settings, reason: string): StepPlan {
  return waiting('conflist', join(netDir, ownFile ?? confName ?? ''), reason)
}
