import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listNames } from '../../files/list-names.ts'
import { isSameFile, sameBytes } from '../../files/same-bytes.ts'
import type { Settings } from '../../options.ts'

/**
 * Names of the plugin's file in the source folder; several if one file contains several plugins. Its type is the last
 * one.
 */
export function pluginNames({ sourceDir, type }: Settings): string[] {
  if (sourceDir === undefined) return []
  const stat = statOf(join(sourceDir, type), statSync)
  const isTwin = (name: string): boolean => {
    const other = statOf(join(sourceDir, name), statSync)
    return name !== type && stat !== undefined && other !== undefined && isSameFile(stat, other)
  }
  return [...listNames(sourceDir).filter(isTwin), type]
}

/**
 * True if a file under another name of the plugin is ours.
 * It is ours if it is the plugin's file, or has the same bytes as that file or the source. Any other file belongs to
 * another program.
 */
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
    // A file that cannot be checked does not count as ours.
    return undefined
  }
}
