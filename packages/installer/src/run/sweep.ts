import { dirname } from 'node:path'
import { sweepTemporaries } from '../files/temporary.ts'
import type { Settings } from '../options.ts'

/**
 * Removes what interrupted runs left in every folder that is written to.
 *
 * @param binaries - names whose temporary files of other installers go, too.
 */
export function sweep(settings: Settings, binaries: readonly string[] = []): void {
  const { netDir, binDirs, kubeconfig, claimFile, type } = settings
  const files = [kubeconfig?.path, claimFile].flatMap((path) => (path === undefined ? [] : dirname(path)))
  const folders = [netDir, ...binDirs, ...files]
  for (const folder of new Set(folders)) sweepTemporaries(folder, type, binDirs.includes(folder) ? binaries : [])
}
