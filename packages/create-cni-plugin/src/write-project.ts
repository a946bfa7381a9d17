import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { errnoOf } from '@cni/types'

/** Error: the folder for a new project is not empty or cannot be created. */
export class ProjectFolderError extends Error {
  override readonly name = 'ProjectFolderError'
}

/** Writes a new project atomically. Throws `ProjectFolderError` for a folder that is not empty. */
export function writeProject(folder: string, files: ReadonlyMap<string, string>): void {
  const target = resolve(folder)
  const found = entriesOf(target)
  if (found.length > 0) {
    const names = found.slice(0, 3).join(', ')
    throw new ProjectFolderError(
      `${target} is not empty (${names}${found.length > 3 ? ', …' : ''}): choose another name`,
    )
  }
  mkdirSync(dirname(target), { recursive: true })
  const beside = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
  // Writes into a subfolder, because only its owner can read the temporary folder itself.
  const project = join(beside, basename(target))
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), text)
    }
    // The rename fails if another program has filled the target folder meanwhile.
    renameSync(project, target)
  } catch (error) {
    if (errnoOf(error) === 'ENOTEMPTY')
      throw new ProjectFolderError(`${target} is not empty any more`, { cause: error })
    throw error
  } finally {
    rmSync(beside, { recursive: true, force: true })
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    if (errnoOf(error) === 'ENOTDIR') throw new ProjectFolderError(`${folder} is a file`, { cause: error })
    throw error
  }
}
