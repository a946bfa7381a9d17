import { lstatSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Path of the marker of a plugin's file: a hidden file in the same folder. */
export function markerPath(file: string): string {
  return `${dirname(file)}/.${basename(file)}.uninstalled`
}

/** True if a marker is next to the plugin's file. Does not check its content. */
export function isMarked(file: string): boolean {
  try {
    return lstatSync(markerPath(file), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The path leads through a file, or is too long: there is no marker.
    return false
  }
}
