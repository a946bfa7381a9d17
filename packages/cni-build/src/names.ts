import { constants, copyFileSync, linkSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BuildError } from './errors.ts'
import { inFolderBeside, writing } from './output-files.ts'

/**
 * Where the other names of an executable are.
 *
 * @throws BuildError `USAGE` for what is no name of a file, or the executable's own.
 */
export function namePaths(outfile: string, names: readonly string[]): string[] {
  for (const name of names) {
    if (name !== '' && !name.startsWith('.') && !name.includes('/')) continue
    throw new BuildError('USAGE', `name ${JSON.stringify(name)}: expected the name of a file beside ${outfile}`)
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index || name === basename(outfile))
  if (twice !== undefined) throw new BuildError('USAGE', `name ${twice}: given twice; each name is one plugin`)
  return names.map((name) => join(dirname(outfile), name))
}

/** Gives a file in a temporary folder the names that it will have; returns where. */
export function giveNames(file: string, folder: string, names: readonly string[]): string[] {
  return names.map((path) => {
    const temporary = join(folder, basename(path))
    writing(path, () => linkOrCopy(file, temporary))
    return temporary
  })
}

/** Gives an executable its other names, each at once and over what was there, where it does not have them. */
export async function nameBeside(outfile: string, names: readonly string[]): Promise<void> {
  const missing = names.filter((path) => !isSameFile(outfile, path))
  if (missing.length === 0) return
  await inFolderBeside(outfile, async (folder) => {
    const files = giveNames(outfile, folder, missing)
    for (const [index, path] of missing.entries()) writing(path, () => renameSync(files[index] ?? '', path))
  })
}

function linkOrCopy(file: string, path: string): void {
  try {
    linkSync(file, path)
  } catch {
    // No hard links on this file system, or not so many: what a copy cannot do either, it says.
    copyFileSync(file, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
}

function isSameFile(file: string, path: string): boolean {
  const other = statSync(path, { throwIfNoEntry: false })
  const { dev, ino } = statSync(file)
  return other?.dev === dev && other.ino === ino
}
