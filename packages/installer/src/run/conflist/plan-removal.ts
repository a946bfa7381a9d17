import { join } from 'node:path'
import type { Change } from '../../change.ts'
import { countEntries, removeEntry } from '../../conf/entry.ts'
import { type StepPlan, waiting, withChange } from '../step-plan.ts'
import { removeConf, replaceConf } from './conf-changes.ts'
import type { NetView } from './net-view.ts'

/** Plans to remove the plugin from files that are no longer the primary network configuration. */
export function changesOfFormer({ settings, memory, files, candidates }: NetView): Change[] {
  const { type } = settings
  const { displaced } = memory
  const changes: Change[] = []
  for (const name of memory.former) {
    const before = candidates.valid.some((one) => one.name === name) ? files.read(name) : undefined
    if (before === undefined) continue
    const text = removeEntry(before.bytes, type)
    if (text === undefined) continue
    changes.push(replaceConf({ path: before.path, before, text, reason: 'no longer the primary', type, displaced }))
  }
  return changes
}

/** Plans to remove the plugin from the network configuration, because the plugin cannot work. */
export function planWithdrawal({ settings, files, memory }: NetView, primary: string, reason: string): StepPlan {
  const { ownFile, type, netDir } = settings
  const name = ownFile ?? primary
  const path = join(netDir, name)
  const isOut = waiting('conflist', path, `left out: ${reason}`)
  const before = files.read(name)
  if (before === undefined || countEntries(before.bytes, type) === 0) return isOut
  if (ownFile !== undefined) return withChange(removeConf(before, reason))
  const text = removeEntry(before.bytes, type)
  if (text === undefined) return isOut
  return withChange(replaceConf({ path, before, text, reason, type, displaced: memory.displaced }))
}
