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

/** A plan for the net folder with what else a look at it brought up. */
export interface NetFolderPlan extends ConflistPlan {
  /** Files that no runtime can load, with the reason. */
  readonly skipped: ReadonlyMap<string, string>
  /** The net folder as it was read for the plan. */
  readonly files?: NetFiles
}

/** When the plan is made, on a monotonic clock, and whether the plugin can work. */
export interface Circumstances {
  readonly now: number
  /** Why the plugin cannot work: it is taken out of the network, so that pods start without it. */
  readonly withdraw?: string | undefined
  /** Reads the net folder. */
  readonly net: NetReader
}

/** Whether the plugin is in the network configuration as it should be; with `withdraw`, whether it is out of it. */
export function planConflist(settings: Settings, memory: Memory, circumstances: Circumstances): NetFolderPlan {
  let files: NetFiles | undefined
  try {
    files = circumstances.net.look(namesThatMatter(settings, memory))
  } catch (error) {
    return { ...failed(toInstallError(error, 'cannot read', settings.netDir)), skipped: new Map() }
  }
  if (files === undefined) return { ...waits(settings, 'the net folder does not exist'), skipped: new Map() }
  const { candidates } = files
  const view = { settings, memory, files, candidates }
  const skipped = candidates.invalid
  try {
    const plan = settings.mode === 'standalone' ? planStandalone(view) : planWithPrimary(view, circumstances)
    return { ...plan, skipped, files }
  } catch (error) {
    return { ...failed(toInstallError(error, 'cannot configure', settings.netDir)), skipped, files }
  }
}

function planWithPrimary(view: NetView, { now, withdraw }: Circumstances): ConflistPlan {
  const { settings, files } = view
  const choice = rememberPrimary(view, now)
  if (choice.kind === 'hold') return { ...waits(settings, choice.reason), until: choice.until }
  if (choice.kind === 'wait') return waits(settings, choice.reason)
  const { name, preemptedBy } = choice
  const primary = readable(files, name)
  if (withdraw !== undefined) return { ...planWithdrawal(view, name, withdraw), primary: name }
  const former = changesOfFormer(view)
  const plan = settings.ownFile === undefined ? planChained(view, primary, name) : planOwned(view, primary)
  // The new file first: a pod that starts in between finds the plugin in one of them.
  return { ...plan, changes: [...plan.changes, ...former], primary: name, preemptedBy }
}

/** The net folder as it is now: the files that matter are read again. */
export function lookAgain(settings: Settings, memory: Memory, net: NetReader): NetFiles | undefined {
  return net.look(namesThatMatter(settings, memory))
}

/** The files that we are in or that have the primary's role: these are never taken as unchanged. */
function namesThatMatter({ confName, ownFile }: Settings, { primary, former, retired }: Memory): Set<string> {
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
