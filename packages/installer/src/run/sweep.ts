import { dirname } from 'node:path'
import { sweepTemporaries } from '../files/temporary.ts'
import type { Settings } from '../options.ts'

/**
 * Removes temporary files of interrupted runs from the installer's folders.
 *
 * @param binaries - names of binaries. Temporary files that other installers left for these binaries are removed too.
 */
export function sweep(settings: Settings, binaries: readonly string[] = []): void {
  const { netDir, binDirs, kubeconfig, claimFile, type } = settings
  const files = [kubeconfig?.path, claimFile].flatMap((path) => (path === undefined ? [] : dirname(path)))
  const folders = [netDir, ...binDirs, ...files]
  for (const folder of new Set(folders)) sweepTemporaries(folder, type, binDirs.includes(folder) ? binaries : [])
}
