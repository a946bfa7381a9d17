import { unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listNames } from './list-names.ts'

/**
 * Name of a temporary file next to `path`. The name contains the plugin's type. A later start of the installer finds
 * leftover files by this type. Runtimes ignore files with the extension `.tmp`.
 */
export function temporaryPath(path: string, type: string): string {
  // Cuts the name, because a file name has at most 255 bytes on every common file system.
  const stem = Buffer.from(basename(path))
    .subarray(0, 120)
    .toString('latin1')
    .replaceAll(/[^ -~]/g, '_')
  const unique = `${process.pid.toString(36)}${process.hrtime.bigint().toString(36)}`
  return join(dirname(path), `.${stem}.${type.slice(0, 80)}-${unique}.tmp`)
}

/**
 * Removes temporary files that interrupted runs of this installer have left. Also removes `<name>.tmp.<digits>` of the
 * given names, which other installers leave. Ignores an inaccessible folder; another step reports it.
 */
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
