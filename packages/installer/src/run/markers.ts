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

/** The markers that say of files of the plugin, in all binary folders, that the plugin is uninstalled. */
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

/** What {@link removeMarkers} did. */
export interface RemovedMarkers {
  readonly changes: readonly PlannedChange[]
  readonly errors: readonly InstallError[]
}

/**
 * Makes the plugin an installed one. Comes before the binaries are compared: from here on no DEL removes a file, and a
 * file that a DEL has removed before is missing when they are compared.
 */
export async function removeMarkers(settings: Settings): Promise<RemovedMarkers> {
  const changes: PlannedChange[] = []
  const errors: InstallError[] = []
  for (const change of plannedMarkers(settings)) {
    try {
      using _held = await lockMarker(change.path)
      if (unlinkIfThere(change.path)) changes.push(change)
    } catch (error) {
      // Without an errno: no other folder makes up for a plugin that counts as uninstalled in this one.
      const { message } = toInstallError(error, 'cannot remove the marker', change.path)
      errors.push(new InstallError('IO', message, { path: change.path }))
    }
  }
  return { changes, errors }
}

/** Marks a file of the plugin as uninstalled; returns false if there is no such file. */
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

/** Removes a file of the plugin and its marker; returns the paths that were there. */
export async function removeMarked(file: string): Promise<string[]> {
  const path = markerPath(file)
  using _held = await lockMarker(path)
  return [file, path].filter(unlinkIfThere)
}

/** Removes another file; returns its path if it was there. */
export async function removeUnmarked(path: string): Promise<string[]> {
  return [path].filter(unlinkIfThere)
}

/** Without FFI there is no lock: then a DEL may remove a file that was just installed, and the next pass copies it. */
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
