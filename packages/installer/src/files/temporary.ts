import { unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { listNames } from './list-names.ts'

/**
 * The name of a temporary file next to `path`, marked with the plugin's type: what an interrupted run leaves behind is
 * known to be ours. Its ending keeps runtimes from reading it.
 */
export function temporaryPath(path: string, type: string): string {
  // 255 bytes is the limit for a name on every common file system
  const stem = Buffer.from(basename(path))
    .subarray(0, 120)
    .toString('latin1')
    .replaceAll(/[^ -~]/g, '_')
  const unique = `${process.pid.toString(36)}${process.hrtime.bigint().toString(36)}`
  return join(dirname(path), `.${stem}.${type.slice(0, 80)}-${unique}.tmp`)
}

/**
 * Removes the temporary files of interrupted runs: ours, and `<name>.tmp.<digits>` of the given names, as other
 * installers leave them. A folder that cannot be read or written is somebody else's error to report.
 */
export function sweepTemporaries(folder: string, type: string, names: readonly string[] = []): void {
  const ours = `.${type.slice(0, 80)}-`
  for (const name of listNames(folder)) {
    const isOurs = name.startsWith('.') && /^[\da-z]+\.tmp$/.test(name.slice(name.lastIndexOf(ours) + ours.length))
    const isOld = names.some((one) => name.startsWith(`${one}.tmp.`) && /^\d+$/.test(name.slice(one.length + 5)))
    if ((isOurs && name.includes(ours)) || isOld) removeQuietly(join(folder, name))
  }
}

/** Removes a file that may not be there any more. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // gone already, or in a folder we cannot write: no reason to fail
  }
}
