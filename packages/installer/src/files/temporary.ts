import { unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listNames } from './list-names.ts'

/** Name of a temporary file. A later cleanup finds it by the plugin's type. */
export function temporaryPath(path: string, type: string): string {
  // Cuts the name, because a file name has at most 255 bytes on every common file system.
  const stem = Buffer.from(basename(path))
    .subarray(0, 120)
    .toString('latin1')
    .replaceAll(/[^ -~]/g, '_')
  const unique = `${process.pid.toString(36)}${process.hrtime.bigint().toString(36)}`
  return join(dirname(path), `.${stem}.${type.slice(0, 80)}-${unique}.tmp`)
}

/** Removes temporary files that interrupted installers have left in a folder. */
export function sweepTemporaries(folder: string, type: string, names: readonly string[] = []): void {
  const ours = `.${type.slice(0, 80)}-`
  for (const name of listNames(folder)) {
    const isOurs = name.startsWith('.') && /^[\da-z]+\.tmp$/.test(name.slice(name.lastIndexOf(ours) + ours.length))
    const isOld = names.some((one) => name.startsWith(`${one}.tmp.`) && /^\d+$/.test(name.slice(one.length + 5)))
    if ((isOurs && name.includes(ours)) || isOld) removeQuietly(join(folder, name))
  }
}

/** Removes a file. Ignores a missing file and a read-only folder. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // The file is already gone, or the folder is read-only.
  }
}
