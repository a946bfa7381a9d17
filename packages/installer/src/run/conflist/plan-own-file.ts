import { join } from 'node:path'
import { compareNames } from '../../conf/conf-name.ts'
import { countEntries, insertEntry, removeEntry, sameDocument, standaloneText } from '../../conf/entry.ts'
import { permissionsOf, wrongPermissions } from '../../files/permissions.ts'
import type { Snapshot } from '../../files/read-regular.ts'
import { InstallError } from '../../install-error.ts'
import { type StepPlan, upToDate, withChange } from '../step-plan.ts'
import { chmodConf, replaceConf } from './conf-changes.ts'
import type { ConflistPlan, NetView } from './net-view.ts'

/** Plans a configuration file that contains only the plugin (standalone mode). */
export function planStandalone(view: NetView): ConflistPlan {
  const { settings, candidates } = view
  const name = settings.ownFile ?? ''
  const plan = planOwnFile(view, { name, text: standaloneText(settings.plugin, name) })
  const first = candidates.valid[0]?.name
  return { ...plan, primary: name, preemptedBy: first !== undefined && first !== name ? first : undefined }
}

/** Plans the file of the owned mode: the installer's copy of the primary network configuration. */
export function planOwned(view: NetView, primary: Snapshot): StepPlan {
  const { settings, memory, candidates } = view
  const { type, plugin, netDir } = settings
  const name = settings.ownFile ?? ''
  const text = insertEntry(primary.bytes, plugin)
  const earlier = candidates.valid.find((one) => !memory.retired.has(one.name) && compareNames(one.name, name) < 0)
  if (earlier !== undefined) {
    const message = `${name} does not sort before ${earlier.name}, so runtimes would not use it: choose another name`
    throw new InstallError('NOT_FIRST', message, { path: join(netDir, name) })
  }
  return planOwnFile(view, { name, text, alsoOurs: removeEntry(text, type) })
}

interface OwnFile {
  readonly name: string
  readonly text: string
  /** Alternative text by which the installer recognizes its own file: the primary configuration without the plugin. */
  readonly alsoOurs?: string | undefined
}

function planOwnFile({ settings, memory, files }: NetView, { name, text, alsoOurs }: OwnFile): StepPlan {
  const { type, netDir, confMode } = settings
  const path = join(netDir, name)
  const before = files.read(name)
  if (before === undefined && files.has(name)) {
    throw new InstallError('NOT_OURS', `${JSON.stringify(path)} is there, and cannot be read`, { path })
  }
  const replace = (reason: string): StepPlan => {
    const done = () => {
      memory.ours.add(path)
    }
    return withChange(replaceConf({ path, before, text, reason, type, ownMode: confMode, done }))
  }
  if (before === undefined) return replace('absent')
  if (sameDocument(before.bytes, text)) {
    memory.ours.add(path)
    const mode = permissionsOf(before.stat)
    if (mode === confMode) return upToDate('conflist', path)
    return withChange(chmodConf(path, confMode, wrongPermissions(mode, confMode)))
  }
  // `sameDocument` is false for an invalid file. The installer may replace an invalid file.
  const isBroken = !sameDocument(before.bytes, before.bytes)
  if (isBroken) return replace('not a configuration')
  const holdsOurs = countEntries(before.bytes, type) > 0
  const isOurs = holdsOurs || memory.ours.has(path) || (alsoOurs !== undefined && sameDocument(before.bytes, alsoOurs))
  if (isOurs) return replace('content differs')
  const message = `${JSON.stringify(path)} is another's configuration: choose another name`
  throw new InstallError('NOT_OURS', message, { path })
}
