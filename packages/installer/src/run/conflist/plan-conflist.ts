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

/** A plan for the net folder, with further results of the scan. */
export interface NetFolderPlan extends ConflistPlan {
  /** Files that no runtime can load, with the reason. */
  readonly skipped: ReadonlyMap<string, string>
  /** The scan of the net folder. */
  readonly files?: NetFiles
}

/** Time of the plan by a monotonic clock, and the state of the plugin. */
export interface Circumstances {
  readonly now: number
  /** Reason why the plugin cannot work. It is then removed from the network, so that pods start without it. */
  readonly withdraw?: string | undefined
  /** Reads the net folder. */
  readonly net: NetReader
}

/** Plans the plugin's entry in the network configuration, or with `withdraw` its removal. */
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
  // Writes the new file first: a pod that starts in between finds the plugin in one of them.
  return { ...plan, changes: [...plan.changes, ...former], primary: name, preemptedBy }
}

/** Scans the net folder again, and reads the relevant files in any case. */
export function lookAgain(settings: Settings, memory: Memory, net: NetReader): NetFiles | undefined {
  return net.look(namesThatMatter(settings, memory))
}

/** Files with our entry or the role of the primary. They are read on every scan. */
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
