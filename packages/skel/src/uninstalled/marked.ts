import { lstatSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Path of the marker file which says that a plugin's executable is uninstalled: a hidden file in the same folder. */
export function markerPath(file: string): string {
  return `${dirname(file)}/.${basename(file)}.uninstalled`
}

/**
 * True if a marker file next to the plugin's executable says that the plugin is uninstalled. Does not check the
 * marker's content.
 */
export function isMarked(file: string): boolean {
  try {
    return lstatSync(markerPath(file), { throwIfNoEntry: false }) !== undefined
  } catch {
    // The path of the marker file is too long, or contains a file instead of a folder. The plugin then has no marker
    // file.
    return false
  }
}
