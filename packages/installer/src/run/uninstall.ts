import { join } from 'node:path'
import type { Need } from '@cni/skel'
import { type Change, describeChange, type PlannedChange } from '../change.ts'
import { countEntries, removeEntry } from '../conf/entry.ts'
import { listNames } from '../files/list-names.ts'
import type { NetFiles, NetReader } from '../files/net-folder.ts'
import type { Snapshot } from '../files/read-regular.ts'
import { type InstallError, toInstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'
import { isInstalled, pluginNames } from './binaries/plugin-names.ts'
import { removeClaim } from './claim/claim.ts'
import type { Claimant } from './claim/record.ts'
import { removeConf, replaceConf } from './conflist/conf-changes.ts'
import { mark, removeMarked, removeUnmarked } from './markers.ts'
import { foldersOnNode, needsOf } from './needs.ts'
import { sweep } from './sweep.ts'
import { withDeadline } from './with-deadline.ts'

/** Result of `uninstall`: the changes, and the files that it has kept or could not remove. */
export interface UninstallReport {
  readonly changes: readonly PlannedChange[]
  /** Errors of the uninstallation. After an error, binaries and kubeconfig may stay, because new pods may need them. */
  readonly errors: readonly InstallError[]
  /** Binaries that stay because the node still needs them. The last DEL of the plugin removes them. */
  readonly kept: readonly string[]
  /** Reasons to keep the plugin's binaries, such as existing attachments. At most 20 for each name of the binary. */
  readonly needs: readonly Need[]
  /** Number of further reasons to keep binaries, which `needs` does not list. */
  readonly moreNeeds: number
  /** Reason why `uninstall` removed nothing: another installer on the node is active. */
  readonly left?: string
}

/**
 * Configurations, binaries and other files that stay after a change of options, because the new options need them too.
 */
export interface Kept {
  readonly entries?: boolean
  readonly ownFile?: string | undefined
  readonly kubeconfig?: string | undefined
  /** Folders whose binaries stay. With `sourceDir`, only the plugin and binaries that `sourceDir` contains stay. */
  readonly binaries?: { readonly binDirs: readonly string[]; readonly sourceDir?: string | undefined }
  readonly claimFile?: string | undefined
}

/** Input for removing the plugin from the node. */
export interface Removal {
  readonly settings: Settings
  readonly net: NetReader
  readonly kept?: Kept
  /**
   * Installer whose claim file is removed. Another installer's claim file stays. Default: any claim file is removed.
   */
  readonly claimant?: Claimant | undefined
  /** Settles when a cancelled copy operation of a binary has ended. */
  readonly copying?: Promise<void> | undefined
}

/** Maximum milliseconds to wait for the end of a cancelled copy operation. */
const STOP_MS = 300
/** Maximum number of attempts to change a file that another program writes at the same time. */
const ATTEMPTS = 5

/** Report of the uninstallation while it is being filled. */
interface Report {
  readonly changes: PlannedChange[]
  readonly errors: InstallError[]
  readonly kept: string[]
  readonly needs: Need[]
  moreNeeds: number
}

/**
 * Removes the plugin from network configurations, then the kubeconfig, then the binary. If the node still needs the
 * binary, the binary stays and gets a marker file.
 */
export async function uninstall(removal: Removal): Promise<UninstallReport> {
  const report: Report = { changes: [], errors: [], kept: [], needs: [], moreNeeds: 0 }
  removeEntries(removal, report)
  if (report.errors.length === 0) await removeFiles(removal, report)
  // Waits for a cancelled copy operation, because the operation may still create a temporary file.
  if (removal.copying !== undefined) await withDeadline(STOP_MS, removal.copying)
  sweep(removal.settings)
  releaseClaim(removal, report)
  return report
}

function removeEntries(removal: Removal, report: Report): void {
  for (let attempt = 1; ; attempt += 1) {
    const errors = tryToRemoveEntries(removal, report.changes)
    if (attempt < ATTEMPTS && errors.some((error) => error.code === 'CHANGED')) continue
    report.errors.push(...errors)
    return
  }
}

function tryToRemoveEntries({ settings, net, kept = {} }: Removal, done: PlannedChange[]): InstallError[] {
  const { netDir } = settings
  const errors: InstallError[] = []
  let files: NetFiles | undefined
  try {
    files = net.scan()
  } catch (error) {
    return [toInstallError(error, 'cannot read the net folder', netDir)]
  }
  for (const name of files?.suspects ?? []) {
    try {
      const change = planRemoval(name, files?.read(name), settings, kept)
      if (change === undefined) continue
      void change.apply()
      done.push(describeChange(change))
    } catch (error) {
      errors.push(toInstallError(error, 'cannot change', join(netDir, name)))
    }
  }
  return errors
}

function planRemoval(
  name: string,
  before: Snapshot | undefined,
  { ownFile, type }: Settings,
  kept: Kept,
): Change | undefined {
  // Keeps files in a sub-folder of the CNI network folder: they belong to another program.
  if (before === undefined || name.includes('/') || name === kept.ownFile) return undefined
  if (countEntries(before.bytes, type) === 0) return undefined
  if (name === ownFile) return removeConf(before, 'uninstall')
  const text = kept.entries ? undefined : removeEntry(before.bytes, type)
  if (text === undefined) return undefined
  return replaceConf({ path: before.path, before, text, reason: 'uninstall', type })
}

/** Marks needed binaries as uninstalled before removing the kubeconfig: an unmarked plugin needs the kubeconfig. */
async function removeFiles({ settings, kept = {} }: Removal, report: Report): Promise<void> {
  const { kubeconfig } = settings
  const files = await ownFiles({ settings, kept }, report)
  // Creates no marker files after a change of options, because the plugin stays installed.
  const needed = kept.binaries === undefined ? await markNeeded(files, settings, report) : new Set<string>()
  if (report.errors.length > 0) return
  if (kubeconfig !== undefined && kubeconfig.path !== kept.kubeconfig) {
    await remove('kubeconfig', kubeconfig.path, report, removeUnmarked)
  }
  for (const { path } of files) if (!needed.has(path)) await remove('binary', path, report, removeMarked)
}

/** A binary of the plugin in one of the folders for binaries. */
interface OwnFile {
  readonly path: string
  readonly name: string
}

type KeptOf = Pick<Required<Removal>, 'settings' | 'kept'>

/** Lists the binaries to remove. The main binary comes last, because the other binaries are compared with it. */
async function ownFiles({ settings, kept }: KeptOf, { errors }: Report): Promise<OwnFile[]> {
  const files: OwnFile[] = []
  for (const folder of settings.binDirs) {
    try {
      for (const name of namesToRemove(folder, { settings, kept })) {
        const path = join(folder, name)
        if (name === settings.type || (await isInstalled(name, folder, settings))) files.push({ path, name })
      }
    } catch (error) {
      errors.push(toInstallError(error, 'cannot remove the binaries in', folder))
    }
  }
  return files
}

function namesToRemove(folder: string, { settings, kept: { binaries } }: KeptOf): string[] {
  const names = pluginNames(settings)
  if (!binaries?.binDirs.includes(folder)) return names
  const { sourceDir } = binaries
  const stay = sourceDir === undefined ? names : listNames(sourceDir)
  return names.filter((name) => name !== settings.type && !stay.includes(name))
}

async function markNeeded(files: readonly OwnFile[], settings: Settings, report: Report): Promise<Set<string>> {
  const needed = new Set<string>()
  for (const name of new Set([settings.type, ...files.map((file) => file.name)])) {
    const { named, more } = needsOf(settings, name)
    if (named.length === 0) continue
    report.needs.push(...named)
    report.moreNeeds += more
    for (const { path } of files.filter((file) => file.name === name)) {
      needed.add(path)
      try {
        if (await mark(path, foldersOnNode(settings, name), settings.type)) report.kept.push(path)
      } catch (error) {
        report.errors.push(toInstallError(error, 'cannot mark as uninstalled', path))
      }
    }
  }
  return needed
}

async function remove(
  artefact: PlannedChange['artefact'],
  path: string,
  { changes, errors }: Report,
  unlink: (path: string) => Promise<string[]>,
): Promise<void> {
  try {
    for (const removed of await unlink(path))
      changes.push({ artefact, action: 'remove', path: removed, reason: 'uninstall' })
  } catch (error) {
    errors.push(toInstallError(error, 'cannot remove', path))
  }
}

/** Removes the claim file as the last step, because the removal makes a waiting installer start at once. */
function releaseClaim({ settings: { claimFile }, kept, claimant }: Removal, { changes, errors }: Report): void {
  if (claimFile === undefined || claimFile === kept?.claimFile) return
  try {
    if (!removeClaim(claimFile, claimant)) return
    changes.push({ artefact: 'claim', action: 'remove', path: claimFile, reason: 'uninstall' })
  } catch (error) {
    errors.push(toInstallError(error, 'cannot remove', claimFile))
  }
}
