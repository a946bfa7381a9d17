import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isConfName } from '../../conf/conf-name.ts'
import type { Settings } from '../../options.ts'
import type { WatchedFolder } from './watch-folders.ts'

/**
 * All folders with files that the installer checks. The kubeconfig and the claim file are watched without their folders
 * if they exist.
 */
export function foldersToWatch({ netDir, binDirs, sourceDir, kubeconfig, claimFile }: Settings): WatchedFolder[] {
  const folders = new Map<string, WatchedFolder['matters'][]>()
  const add = (path: string, matters: WatchedFolder['matters']): void => {
    folders.set(path, [...(folders.get(path) ?? []), matters])
  }
  const all = (name: string): boolean => !name.endsWith('.tmp')
  // Also watches names without a dot in the CNI network folder. Such a name may be a sub-folder with further plugins of
  // a plugin list.
  add(netDir, (name) => isConfName(name) || !name.includes('.'))
  for (const path of foldersOfLinks(netDir)) add(path, all)
  if (sourceDir !== undefined) {
    add(sourceDir, all)
    for (const path of binDirs) add(path, all)
  }
  if (kubeconfig !== undefined) {
    add(fileOrFolder(kubeconfig.path), (name) => name === basename(kubeconfig.path))
    add(dirname(kubeconfig.tokenFile), all)
    if (kubeconfig.caFile !== undefined && !kubeconfig.skipTls) add(dirname(kubeconfig.caFile), all)
  }
  // Ignores `change` events of the claim file, because the active installer touches it regularly. An installer that
  // becomes active replaces the file, which causes a `rename` event.
  if (claimFile !== undefined)
    add(fileOrFolder(claimFile), (name, kind) => name === basename(claimFile) && kind === 'rename')
  return [...folders].map(([path, tests]) => ({
    path,
    matters: (name, kind) => tests.some((test) => test(name, kind)),
  }))
}

/**
 * Returns the path to watch for a file: the file itself if it exists, else its folder. The folder has more events,
 * because the plugin writes a log there for every pod.
 */
const fileOrFolder = (path: string): string => (existsSync(path) ? path : dirname(path))

/**
 * Target folders of the symbolic links in a CNI network folder. A write to a target causes no event in the CNI network
 * folder itself.
 */
function foldersOfLinks(netDir: string): Set<string> {
  const folders = new Set<string>()
  for (const name of linksIn(netDir)) {
    try {
      const folder = dirname(realpathSync.native(join(netDir, name)))
      if (folder !== netDir && folder !== realpathSync.native(netDir)) folders.add(folder)
    } catch {
      // The target of the symbolic link does not exist, or the link was removed.
    }
  }
  return folders
}

function linksIn(netDir: string): string[] {
  try {
    const entries = readdirSync(netDir, { withFileTypes: true })
    return entries.flatMap((one) => (one.isSymbolicLink() && isConfName(one.name) ? [one.name] : []))
  } catch {
    // The CNI network folder is missing or unreadable. The installer's next check reports this error.
    return []
  }
}
