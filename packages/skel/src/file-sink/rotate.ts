import { lstatSync, renameSync, rmSync, type Stats } from 'node:fs'

/** Limits of a log file and its backups. */
export interface Limits {
  readonly maxBytes: number
  readonly keep: number
  readonly maxAge: number
}

/** Renames a full log file to a backup. Removes surplus and outdated backups. */
export function rotate(path: string, { maxBytes, keep, maxAge }: Limits): void {
  const file = statOf(path)
  if (file?.isFile() && file.size >= maxBytes) shift(path, keep)
  if (maxAge === Infinity) return
  for (let number = 1; number <= keep; number++) {
    const aside = statOf(`${path}.${number}`)
    if (aside !== undefined && Date.now() - aside.mtimeMs > maxAge) rmSync(`${path}.${number}`, { force: true })
  }
}

function shift(path: string, keep: number): void {
  if (keep < 1) {
    rmSync(path, { force: true })
    return
  }
  for (let number = keep - 1; number >= 1; number--) move(`${path}.${number}`, `${path}.${number + 1}`)
  move(path, `${path}.1`)
}

/** Renames a log file or backup. Ignores a missing file: another process may have moved it first. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (statOf(from) !== undefined) throw error
  }
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
