import { coded } from '../errors.ts'
import { fileError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { check, type PathLike, pathOf } from './arguments.ts'
import { AT_FDCWD, AT_REMOVEDIR } from './constants.ts'
import { list } from './directories.ts'
import { lstatSync } from './stats.ts'

interface RemoveOptions {
  readonly force?: boolean
  readonly recursive?: boolean
  readonly maxRetries?: number
  readonly retryDelay?: number
}

const ENOENT = -2

/** Removes a file, or with `recursive` a directory with all its contents. Never follows symbolic links. */
export function rmSync(path: PathLike, { force = false, recursive = false }: RemoveOptions = {}): void {
  const text = pathOf(path)
  const stat = lstatSync(text, { throwIfNoEntry: false })
  if (stat === undefined) {
    if (force) return
    throw fileError(ENOENT, 'lstat', text)
  }
  if (!stat.isDirectory()) remove(text, 0, 'rm')
  else if (recursive) removeTree(text)
  else {
    const message = `Path is a directory: rm returned EISDIR (is a directory) ${text}`
    const error = Object.assign(new Error(message), { name: 'SystemError', errno: 21, syscall: 'rm', path: text })
    throw coded(error, 'ERR_FS_EISDIR')
  }
}

function removeTree(path: string): void {
  for (const entry of list(path)) {
    const child = `${path}/${entry.name}`
    if (entry.isDirectory()) removeTree(child)
    else remove(child, 0, 'unlink')
  }
  remove(path, AT_REMOVEDIR, 'rmdir')
}

/** Removes one entry of a directory. Ignores ENOENT because another process may have removed the entry. */
function remove(path: string, flags: number, name: string): void {
  const result = call('unlinkat', AT_FDCWD, path, flags)
  if (result !== ENOENT) check(result, name, path)
}
