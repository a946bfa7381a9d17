import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Candidates, listCandidates } from '../conf/candidate.ts'
import { compareNames, conflistName } from '../conf/conf-name.ts'
import { countEntries, hasEntry, insertEntry, removeEntry, sameDocument, standaloneText } from '../conf/entry.ts'
import { choosePrimary } from '../conf/primary.ts'
import { type NetFiles, readNetFolder } from '../files/net-folder.ts'
import type { Snapshot } from '../files/read-regular.ts'
import type { Health } from '../health.ts'
import { InstallError, toInstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import type { Change, StepPlan } from './change.ts'
import { chmodConf, convertToList, removeConf, replaceConf } from './conf-changes.ts'
import type { Memory } from './memory.ts'

/** What the look at the net folder found out beside the changes. */
export interface ConflistPlan extends StepPlan {
  readonly primary?: string
  readonly preemptedBy?: string | undefined
  /** When to look again because a broken primary keeps its role until then. */
  readonly until?: number
  /** Files that runtimes skip, with the reason. */
  readonly skipped: ReadonlyMap<string, string>
}

/**
 * Whether the plugin is in the network configuration as it should be. With `withdraw` set, whether it is out of it:
 * the plugin cannot work, and pods should start without it.
 */
export function planConflist(settings: Settings, memory: Memory, now: number, withdraw?: string): ConflistPlan {
  let files: NetFiles | undefined
  try {
    files = readNetFolder(settings.netDir)
  } catch (error) {
    return { ...failed(toInstallError(error, 'cannot read', settings.netDir)), skipped: new Map() }
  }
  if (files === undefined) return { ...waiting(settings, 'the net folder does not exist'), skipped: new Map() }
  const candidates = listCandidates(files.folder)
  const skipped = candidates.invalid
  try {
    if (settings.mode === 'standalone') return { ...planStandalone(settings, memory, files, candidates), skipped }
    return { ...planWithPrimary(settings, memory, files, candidates, now, withdraw), skipped }
  } catch (error) {
    return { ...failed(toInstallError(error, 'cannot configure', settings.netDir)), skipped }
  }
}

type Found = Omit<ConflistPlan, 'skipped'>

function planStandalone(settings: Settings, memory: Memory, files: NetFiles, candidates: Candidates): Found {
  const name = settings.ownFile ?? ''
  const found = planOwnFile(settings, memory, files, name, standaloneText(settings.plugin, name), undefined)
  const first = candidates.valid[0]?.name
  return { ...found, primary: name, preemptedBy: first !== undefined && first !== name ? first : undefined }
}

function planWithPrimary(
  settings: Settings,
  memory: Memory,
  files: NetFiles,
  candidates: Candidates,
  now: number,
  withdraw: string | undefined,
): Found {
  const { type, confName, ownFile, pin, holdMs, plugin } = settings
  const rules = {
    type,
    explicit: confName,
    own: [...memory.retired, ...(ownFile === undefined ? [] : [ownFile])],
    pin,
    holdMs,
  }
  const choice = choosePrimary(withNamedList(candidates, files, confName), rules, memory.primary, now)
  const known = memory.primary.name
  memory.primary = choice.memory
  if (choice.kind === 'hold') return { ...waiting(settings, choice.reason), until: choice.until }
  if (choice.kind === 'wait') return waiting(settings, choice.reason)
  const { name, preemptedBy } = choice
  if (known !== undefined && known !== name && conflistName(known) !== name) memory.former.add(known)
  memory.former.delete(name)
  const primary = snapshot(files, name)
  if (withdraw !== undefined) return { ...planWithdrawal(settings, files, name, withdraw), primary: name }
  const former = planFormer(settings, memory, files, candidates)
  const found =
    ownFile === undefined
      ? planChained(settings, memory, files, primary, name)
      : planOwned(settings, memory, files, candidates, insertEntry(primary.bytes, plugin))
  // The new file first: a pod that starts in between finds the plugin in one of them.
  return { ...found, changes: [...found.changes, ...former], primary: name, preemptedBy }
}

/** No runtime reads a list from a `.conf`; one that the operator names is about to be renamed, so it counts. */
function withNamedList(candidates: Candidates, files: NetFiles, confName: string | undefined): Candidates {
  const name = confName === undefined ? undefined : conflistName(confName).replace(/list$/, '')
  const file = name === undefined || !candidates.invalid.has(name) ? undefined : files.folder.get(name)
  if (name === undefined || file === undefined) return candidates
  const [list] = listCandidates(new Map([[conflistName(name), file]])).valid
  if (list === undefined) return candidates
  const valid = [...candidates.valid, { ...list, name }].sort((a, b) => compareNames(a.name, b.name))
  return { ...candidates, valid }
}

function planChained(settings: Settings, memory: Memory, files: NetFiles, primary: Snapshot, name: string): Found {
  const { plugin, type } = settings
  const { path } = primary
  const list = conflistName(name)
  if (list !== name) {
    const text = insertEntry(primary.bytes, plugin)
    const existing = files.snapshots.get(list)
    if (existing !== undefined && !isOwnConversion(existing, primary, settings)) {
      throw new InstallError('NOT_OURS', `cannot make a list of ${name}: ${list} exists, and is another's`, { path })
    }
    const done = () => {
      memory.primary = { name: list }
    }
    return planned([convertToList(primary, existing, text, type, done)])
  }
  if (!hasEntry(primary.bytes, plugin)) {
    const text = insertEntry(primary.bytes, plugin)
    const count = countEntries(primary.bytes, type)
    const reason = count === 0 ? 'our entry is missing' : count > 1 ? 'our entry is there twice' : 'our entry differs'
    const done = () => {
      const { ino } = statSync(path)
      memory.modes.set(path, { ino, mode: primary.stat.mode & 0o7777 })
    }
    return planned([replaceConf({ path, before: primary }, text, reason, type, done)])
  }
  return keepMode(memory, primary) ?? fine(path)
}

/** A list that holds our plugin behind the very plugins of the `.conf` is what an earlier conversion left. */
function isOwnConversion(existing: Snapshot, original: Snapshot, { type }: Settings): boolean {
  const types = (name: string, { bytes }: Snapshot) => listCandidates(new Map([[name, bytes]])).valid[0]?.types
  const others = types('x.conf', original) ?? types('x.conflist', original)
  const own = types('x.conflist', existing)
  return others !== undefined && own !== undefined && own.join() === [...others, type].join()
}

/** Another's file: who opens it up to more than before is put right, who closes it is respected. */
function keepMode(memory: Memory, { path, stat }: Snapshot): Found | undefined {
  const mode = stat.mode & 0o7777
  const known = memory.modes.get(path)
  const before = known !== undefined && known.ino === stat.ino ? known.mode : undefined
  const opened = before !== undefined && (mode & ~before) !== 0
  if (!opened && (mode & 0o400) !== 0) {
    memory.modes.set(path, { ino: stat.ino, mode })
    return undefined
  }
  const wanted = before !== undefined && (before & 0o400) !== 0 ? before : 0o600
  return planned([chmodConf(path, wanted, `mode is 0${mode.toString(8)}, not 0${wanted.toString(8)}`)])
}

function planOwned(settings: Settings, memory: Memory, files: NetFiles, candidates: Candidates, text: string): Found {
  const name = settings.ownFile ?? ''
  const earlier = candidates.valid.find((one) => !memory.retired.has(one.name) && compareNames(one.name, name) < 0)
  if (earlier !== undefined) {
    const path = join(settings.netDir, name)
    const message = `${name} does not sort before ${earlier.name}, so runtimes would not use it: choose another name`
    throw new InstallError('NOT_FIRST', message, { path })
  }
  const without = removeEntry(text, settings.type)
  return planOwnFile(settings, memory, files, name, text, without)
}

function planOwnFile(
  settings: Settings,
  memory: Memory,
  files: NetFiles,
  name: string,
  text: string,
  alsoOurs: string | undefined,
): Found {
  const { type, netDir, confMode } = settings
  const path = join(netDir, name)
  const before = files.snapshots.get(name)
  if (before === undefined && files.folder.has(name)) {
    throw new InstallError('NOT_OURS', `${JSON.stringify(path)} is there, and cannot be read`, { path })
  }
  const file = { path, before, ownMode: confMode }
  const done = () => {
    memory.ours.add(path)
  }
  if (before === undefined) return planned([replaceConf(file, text, 'absent', type, done)])
  if (sameDocument(before.bytes, text)) {
    memory.ours.add(path)
    const mode = before.stat.mode & 0o7777
    const reason = `mode is 0${mode.toString(8)}, not 0${confMode.toString(8)}`
    return mode === confMode ? fine(path) : planned([chmodConf(path, confMode, reason)])
  }
  const broken = !sameDocument(before.bytes, before.bytes)
  const ours = countEntries(before.bytes, type) > 0 || (alsoOurs !== undefined && sameDocument(before.bytes, alsoOurs))
  if (!ours && !broken && !memory.ours.has(path)) {
    throw new InstallError('NOT_OURS', `${JSON.stringify(path)} is another's configuration: choose another name`, {
      path,
    })
  }
  return planned([replaceConf(file, text, broken ? 'not a configuration' : 'content differs', type, done)])
}

function planFormer(settings: Settings, memory: Memory, files: NetFiles, candidates: Candidates): Change[] {
  const changes: Change[] = []
  for (const name of memory.former) {
    const before = files.snapshots.get(name)
    if (before === undefined || !candidates.valid.some((one) => one.name === name)) continue
    const text = removeEntry(before.bytes, settings.type)
    if (text === undefined) continue
    changes.push(replaceConf({ path: before.path, before }, text, 'no longer the primary', settings.type))
  }
  return changes
}

function planWithdrawal(settings: Settings, files: NetFiles, name: string, reason: string): Found {
  const { ownFile, type, netDir } = settings
  const path = join(netDir, ownFile ?? name)
  const before = files.snapshots.get(ownFile ?? name)
  const health: Health[] = [{ artefact: 'conflist', path, state: 'waiting', reason: `left out: ${reason}` }]
  if (before === undefined || countEntries(before.bytes, type) === 0) return { changes: [], health, errors: [] }
  if (ownFile !== undefined) return planned([removeConf(before, reason)])
  const text = removeEntry(before.bytes, type)
  if (text === undefined) return { changes: [], health, errors: [] }
  return planned([replaceConf({ path, before }, text, reason, type)])
}

function snapshot(files: NetFiles, name: string): Snapshot {
  const file = files.snapshots.get(name)
  if (file === undefined) throw new InstallError('NOT_READABLE', `${name} cannot be read`)
  return file
}

function planned(changes: readonly Change[]): Found {
  return { changes, health: [], errors: [] }
}

function fine(path: string): Found {
  return { changes: [], health: [{ artefact: 'conflist', path, state: 'ok' }], errors: [] }
}

function failed(error: InstallError): Found {
  return { changes: [], health: [], errors: [error] }
}

function waiting(settings: Settings, reason: string): Found {
  const path = join(settings.netDir, settings.ownFile ?? settings.confName ?? '')
  return { changes: [], health: [{ artefact: 'conflist', path, state: 'waiting', reason }], errors: [] }
}
