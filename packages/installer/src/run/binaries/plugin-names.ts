import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listNames } from '../../files/list-names.ts'
import { isSameFile, sameBytes } from '../../files/same-bytes.ts'
import type { Settings } from '../../options.ts'

/** Names of all hard links to the plugin's binary in the source folder. The plugin's type comes last. */
export function pluginNames({ sourceDir, type }: Settings): string[] {
  if (sourceDir === undefined) return []
  const stat = statOf(join(sourceDir, type), statSync)
  const isTwin = (name: string): boolean => {
    const other = statOf(join(sourceDir, name), statSync)
    return name !== type && stat !== undefined && other !== undefined && isSameFile(stat, other)
  }
  return [...listNames(sourceDir).filter(isTwin), type]
}

/** True if this installer has installed the file. Any other file belongs to another program. */
export async function isInstalled(name: string, folder: string, { sourceDir, type }: Settings): Promise<boolean> {
  if (sourceDir === undefined) return false
  const path = join(folder, name)
  const stat = statOf(path, lstatSync)
  if (!stat?.isFile()) return false
  for (const plugin of [join(folder, type), join(sourceDir, type)]) {
    const other = statOf(plugin, lstatSync)
    if (!other?.isFile()) continue
    if (isSameFile(stat, other) || (stat.size === other.size && (await sameBytes(path, plugin)))) return true
  }
  return false
}

function statOf(path: string, stat: typeof statSync | typeof lstatSync): BigIntStats | undefined {
  try {
    return stat(path, { bigint: true })
  } catch {
    // The file is missing or inaccessible, so it does not count as installed by this installer.
    return undefined
  }
}
