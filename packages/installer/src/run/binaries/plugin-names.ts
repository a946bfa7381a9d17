import { type BigIntStats, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { listNames } from '../../files/list-names.ts'
import { isSameFile, sameBytes } from '../../files/same-bytes.ts'
import type { Settings } from '../../options.ts'

/** The names of the plugin's file in the source folder: several, when several plugins are in it. Its type is the last. */
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
 * Whether what a binary folder has under another name of the plugin came from us: it is the plugin's file there, or has
 * the same bytes as that or as the source, where no link could be made. Anything else is another's.
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
    // What cannot be looked at is not known to be ours.
    return undefined
  }
}
