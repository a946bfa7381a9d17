import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isConfName } from '../conf/conf-name.ts'
import { listNames } from '../files/list-names.ts'
import type { Settings } from '../options.ts'
import type { WatchedFolder } from './watch-folders.ts'

/** Every folder with a file that a pass looks at. */
export function foldersToWatch({ netDir, binDirs, sourceDir, kubeconfig }: Settings): WatchedFolder[] {
  const folders = new Map<string, ((name: string) => boolean)[]>()
  const add = (path: string, matters: (name: string) => boolean): void => {
    folders.set(path, [...(folders.get(path) ?? []), matters])
  }
  const all = (name: string): boolean => !name.endsWith('.tmp')
  // a name without a dot may be the folder of a list
  add(netDir, (name) => isConfName(name) || !name.includes('.'))
  for (const path of foldersOfLinks(netDir)) add(path, all)
  if (sourceDir !== undefined) {
    add(sourceDir, all)
    for (const path of binDirs) add(path, all)
  }
  if (kubeconfig !== undefined) {
    // the run folder: the plugin's log is written there for every pod
    add(dirname(kubeconfig.path), (name) => name === basename(kubeconfig.path))
    add(dirname(kubeconfig.tokenFile), all)
    if (kubeconfig.caFile !== undefined && !kubeconfig.skipTls) add(dirname(kubeconfig.caFile), all)
  }
  return [...folders].map(([path, tests]) => ({ path, matters: (name) => tests.some((test) => test(name)) }))
}

/** Where the symbolic links of a net folder lead: a write there is no event in the folder itself. */
function foldersOfLinks(netDir: string): Set<string> {
  const folders = new Set<string>()
  for (const name of listNames(netDir).filter(isConfName)) {
    try {
      const folder = dirname(realpathSync(join(netDir, name)))
      if (folder !== netDir && folder !== realpathSync(netDir)) folders.add(folder)
    } catch {
      // dangling, or gone
    }
  }
  return folders
}
