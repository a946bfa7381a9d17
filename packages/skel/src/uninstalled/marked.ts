import { lstatSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Path of the hidden marker file that marks an executable as uninstalled. */
export function markerPath(file: string): string {
  return `${dirname(file)}/.${basename(file)}.uninstalled`
}

/** True if a marker file says that the plugin is uninstalled. Does not check the marker's content. */
export function isMarked(file: string): boolean {
  try {
    return lstatSync(markerPath(file), { throwIfNoEntry: false }) !== undefined
  } catch {
    // A path that is too long or leads through a file has no marker.
    return false
  }
}
