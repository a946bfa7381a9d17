import { statSync } from 'node:fs'
import { listCandidates } from '../../conf/candidate.ts'
import { conflistName } from '../../conf/conf-name.ts'
import { countEntries, hasEntry, insertEntry } from '../../conf/entry.ts'
import { isReadable, permissionsOf, readable, wrongPermissions } from '../../files/permissions.ts'
import type { Snapshot } from '../../files/read-regular.ts'
import { InstallError } from '../../install-error.ts'
import type { Memory } from '../memory.ts'
import { type StepPlan, upToDate, withChange } from '../step-plan.ts'
import { chmodConf, convertToList, replaceConf } from './conf-changes.ts'
import type { NetView } from './net-view.ts'

/** Plans the changes that make the plugin the last one of the primary network configuration. */
export function planChained(view: NetView, primary: Snapshot, name: string): StepPlan {
  const { memory, settings } = view
  if (conflistName(name) !== name) return planConversion(view, primary, name)
  if (!hasEntry(primary.bytes, settings.plugin)) return planEntry(view, primary)
  return planPermissions(memory, primary) ?? upToDate('conflist', primary.path)
}

/** Plans to convert a single configuration to a list: a single configuration has room for only one plugin. */
function planConversion({ settings, memory, files }: NetView, primary: Snapshot, name: string): StepPlan {
  const { plugin, type } = settings
  const list = conflistName(name)
  const text = insertEntry(primary.bytes, plugin)
  const existing = files.read(list)
  if (existing !== undefined && !isOwnConversion(existing, primary, type)) {
    const message = `cannot make a list of ${name}: ${list} exists, and is another's`
    throw new InstallError('NOT_OURS', message, { path: primary.path })
  }
  const done = () => {
    memory.primary = { name: list }
  }
  return withChange(convertToList({ before: primary, existing, text, type, displaced: memory.displaced, done }))
}

/** True if the installer itself has made the `.conflist` from the `.conf` earlier. */
function isOwnConversion(existing: Snapshot, original: Snapshot, type: string): boolean {
  const types = (name: string, { bytes }: Snapshot) => listCandidates(new Map([[name, bytes]])).valid[0]?.types
  const others = types('x.conf', original) ?? types('x.conflist', original)
  const own = types('x.conflist', existing)
  return others !== undefined && own !== undefined && own.join() === [...others, type].join()
}

function planEntry({ settings, memory }: NetView, primary: Snapshot): StepPlan {
  const { plugin, type } = settings
  const { path, bytes } = primary
  const count = countEntries(bytes, type)
  const reason = count === 0 ? 'our entry is missing' : count > 1 ? 'our entry is there twice' : 'our entry differs'
  const done = () => {
    const now = statSync(path)
    memory.modes.set(path, { ino: now.ino, mode: permissionsOf(now) })
  }
  const text = insertEntry(bytes, plugin)
  return withChange(replaceConf({ path, before: primary, text, reason, type, displaced: memory.displaced, done }))
}

/** Plans the permissions of another program's file. Revokes permissions that were added since the last check. */
function planPermissions(memory: Memory, { path, stat }: Snapshot): StepPlan | undefined {
  const mode = permissionsOf(stat)
  const known = memory.modes.get(path)
  const before = known !== undefined && known.ino === stat.ino ? known.mode : undefined
  const isOpened = before !== undefined && (mode & ~before) !== 0
  const wanted = isOpened || !isReadable(mode) ? readable(before ?? mode) : mode
  if (mode === wanted) {
    memory.modes.set(path, { ino: stat.ino, mode })
    return undefined
  }
  return withChange(chmodConf(path, wanted, wrongPermissions(mode, wanted)))
}
