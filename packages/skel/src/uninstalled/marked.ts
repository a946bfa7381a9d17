import { lstatSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** The path of the marker of a plugin's file: in the same folder, hidden. */
export function markerPath(file: string): string {
  return `${dirname(file)}/.${basename(file)}.uninstalled`
}

/** Whether a marker is next to the plugin's file. Its content is not checked. */
export function isMarked(file: string): boolean {
  try {
    return lstatSync(markerPath(file), { throwIfNoEntry: false }) !== undefined
  } catch {
    // the path leads through a file, or is too long: there is no marker
    return false
  }
}
