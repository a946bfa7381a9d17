import { constants, copyFileSync, linkSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BuildError } from './errors.ts'
import { inFolderBeside, writing } from './output-files.ts'

/**
 * Paths of the other names of an executable.
 *
 * @throws BuildError `USAGE` if a name is not a valid file name, or equals the executable's name
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

/** Creates hard links to a file, or copies, under the given names in a temporary folder. */
export function giveNames(file: string, folder: string, names: readonly string[]): string[] {
  return names.map((path) => {
    const temporary = join(folder, basename(path))
    writing(path, () => linkOrCopy(file, temporary))
    return temporary
  })
}

/**
 * Creates the missing names of an executable by hard links or copies. Each name atomically replaces an existing file.
 */
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
    // Some file systems have no hard links.
    copyFileSync(file, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
}

function isSameFile(file: string, path: string): boolean {
  const other = statSync(path, { throwIfNoEntry: false })
  const { dev, ino } = statSync(file)
  return other?.dev === dev && other.ino === ino
}
