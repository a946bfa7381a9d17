import { lstatSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { lock, tryLoadSys } from '@cni/netns/sys'
import { isMarked, markerPath, markerText, type NeedFolders } from '@cni/skel'
import type { PlannedChange } from '../change.ts'
import { listNames } from '../files/list-names.ts'
import { readRegular } from '../files/read-regular.ts'
import { replaceFile } from '../files/replace-file.ts'
import { InstallError, isNotFound, toInstallError } from '../install-error.ts'
import type { Settings } from '../options.ts'

/** Planned removals of the marker files next to the binaries. A marker file says that its binary is uninstalled. */
export function plannedMarkers({ binDirs, sourceDir, type }: Settings): PlannedChange[] {
  const names = sourceDir === undefined ? [type] : listNames(sourceDir)
  const files = binDirs.flatMap((folder) => names.map((name) => join(folder, name)))
  return files.filter(isMarked).map((file) => ({
    artefact: 'binary',
    action: 'remove',
    path: markerPath(file),
    reason: 'installed again',
  }))
}

/** Result of {@link removeMarkers}: removed marker files, and errors. */
export interface RemovedMarkers {
  readonly changes: readonly PlannedChange[]
  readonly errors: readonly InstallError[]
}

/** Removes the marker files before installing binaries, because a DEL of the plugin removes marked binaries. */
export async function removeMarkers(settings: Settings): Promise<RemovedMarkers> {
  const changes: PlannedChange[] = []
  const errors: InstallError[] = []
  for (const change of plannedMarkers(settings)) {
    try {
      using _held = await lockMarker(change.path)
      if (unlinkIfThere(change.path)) changes.push(change)
    } catch (error) {
      // Omits the errno: with EROFS, the folder would count as `skipped` despite the marker file.
      const { message } = toInstallError(error, 'cannot remove the marker', change.path)
      errors.push(new InstallError('IO', message, { path: change.path }))
    }
  }
  return { changes, errors }
}

/** Marks a binary of the plugin as uninstalled. Returns false if the binary is missing. */
export async function mark(file: string, folders: NeedFolders, type: string): Promise<boolean> {
  const path = markerPath(file)
  using _held = await lockMarker(path)
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return false
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isFile() === false) unlinkSync(path)
  const before = readRegular(path)
  replaceFile({ path, text: markerText(file, folders), mode: 0o644, exactMode: true, before, type })
  return true
}

/** Removes a binary of the plugin and its marker file. Returns the paths that existed. */
export async function removeMarked(file: string): Promise<string[]> {
  const path = markerPath(file)
  using _held = await lockMarker(path)
  return [file, path].filter(unlinkIfThere)
}

/** Removes a file that has no marker, such as the kubeconfig. Returns its path if it existed. */
export async function removeUnmarked(path: string): Promise<string[]> {
  return [path].filter(unlinkIfThere)
}

/** Locks a marker file against a DEL of the plugin. Requires FFI. */
async function lockMarker(path: string): ReturnType<typeof lock> {
  if (tryLoadSys() === undefined || lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  return lock(path)
}

function unlinkIfThere(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
