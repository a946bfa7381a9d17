import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isConfName } from '../../conf/conf-name.ts'
import type { Settings } from '../../options.ts'
import type { WatchedFolder } from './watch-folders.ts'

/** Lists all folders to watch: they contain the files that the installer checks. */
export function foldersToWatch({ netDir, binDirs, sourceDir, kubeconfig, claimFile }: Settings): WatchedFolder[] {
  const folders = new Map<string, WatchedFolder['matters'][]>()
  const add = (path: string, matters: WatchedFolder['matters']): void => {
    folders.set(path, [...(folders.get(path) ?? []), matters])
  }
  const all = (name: string): boolean => !name.endsWith('.tmp')
  // A name without a dot may be a sub-folder with further plugins of a list.
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
  // Ignores `change` events, because the active installer touches the claim file regularly.
  if (claimFile !== undefined)
    add(fileOrFolder(claimFile), (name, kind) => name === basename(claimFile) && kind === 'rename')
  return [...folders].map(([path, tests]) => ({
    path,
    matters: (name, kind) => tests.some((test) => test(name, kind)),
  }))
}

/** Watches an existing file instead of its folder, because the plugin logs into the folder. */
const fileOrFolder = (path: string): string => (existsSync(path) ? path : dirname(path))

/** Target folders of symbolic links. Writes to a link's target cause no event in the network folder. */
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
