import { accessSync, constants, statSync } from 'node:fs'

/** Folders to search for programs if PATH is missing. A CNI runtime may start a plugin without PATH. */
export const DEFAULT_PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Finds the absolute path of a program in PATH. Returns `undefined` if there is no such executable file. A name with a
 * slash is a path and is returned unchanged. Ignores relative and empty entries of PATH, because these entries depend
 * on the working directory.
 *
 * @example
 * findExecutable('iptables-restore') ?? findExecutable('iptables-nft-restore')
 */
export function findExecutable(name: string, path: string | undefined = process.env.PATH): string | undefined {
  if (name === '' || name.includes('\0')) return undefined
  if (name.includes('/')) return isExecutableFile(name) ? name : undefined
  for (const folder of (path || DEFAULT_PATH).split(':')) {
    if (!folder.startsWith('/')) continue
    const candidate = folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`
    if (isExecutableFile(candidate)) return candidate
  }
  return undefined
}

function isExecutableFile(path: string): boolean {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // EACCES, ENOTDIR, ELOOP: the file at this path cannot be executed. The search continues.
    return false
  }
}
