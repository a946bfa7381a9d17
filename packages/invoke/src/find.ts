import { statSync } from 'node:fs'
import { join } from 'node:path'
import { InvokeError } from './errors.ts'

/**
 * Finds a plugin's executable, and follows symbolic links. Does not check that the file is executable.
 *
 * @throws {@link InvokeError} `NO_NAME`, `INVALID_NAME` (a path, not a name), `NO_PATHS` or `NOT_FOUND`.
 *
 * @example
 * ```ts
 * findInPath('bridge', ['/opt/cni/bin', '/usr/lib/cni']) // '/usr/lib/cni/bridge'
 * ```
 */
export function findInPath(plugin: string, paths: readonly string[]): string {
  assertPluginName(plugin)
  // An empty element of `CNI_PATH` would mean the working directory.
  const folders = paths.filter((path) => path !== '')
  if (folders.length === 0) {
    throw new InvokeError('NO_PATHS', plugin, 'no paths provided', { hint: 'is CNI_PATH set?' })
  }
  for (const folder of folders) {
    const candidate = join(folder, plugin)
    if (isRegularFile(candidate)) return candidate
  }
  throw new InvokeError('NOT_FOUND', plugin, `failed to find plugin "${plugin}" in path [${folders.join(' ')}]`)
}

/** Checks that a plugin's `type` is a file name. Throws {@link InvokeError} `NO_NAME` or `INVALID_NAME`. */
export function assertPluginName(plugin: string): void {
  if (plugin === '') throw new InvokeError('NO_NAME', plugin, 'no plugin name provided')
  if (!/[/\0]/.test(plugin) && plugin !== '.' && plugin !== '..') return
  throw new InvokeError('INVALID_NAME', plugin, `invalid plugin name: ${plugin}`, {
    hint: 'the "type" of a plugin is a file name, not a path',
  })
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    // The plugin is not in this folder, or the folder is inaccessible: try the next folder of `CNI_PATH`.
    return false
  }
}
