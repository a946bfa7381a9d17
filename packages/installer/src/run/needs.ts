import { statSync } from 'node:fs'
import { join } from 'node:path'
import { findNeeds, type Need, type NeedFolders } from '@cni/skel'
import type { Settings } from '../options.ts'

/** Reasons to keep an uninstalled plugin's binary: files and folders of the node that still need the plugin. */
export interface Needs {
  readonly named: readonly Need[]
  /** Number of files and folders that need the plugin and are not in `named`. */
  readonly more: number
}

/** Maximum number of files and folders that an uninstall report lists as still needing the plugin. */
const MAX_NAMED = 20

/** Finds files and folders on the node that still need a plugin. */
export function needsOf(settings: Settings, type: string): Needs {
  const named: Need[] = []
  let more = 0
  for (const need of allNeeds(settings, type)) {
    if (named.length < MAX_NAMED) named.push(need)
    else more += 1
  }
  return { named, more }
}

/** Folders whose files may still need the plugin, as paths on the node. The marker file lists these folders. */
export function foldersOnNode(settings: Settings, type: string): NeedFolders {
  const { records, results, configurations } = foldersHere(settings, type)
  const onNode = (path: string): string => pathOnNode(settings, path)
  return {
    records: records.map(onNode),
    results: results.map(onNode),
    configurations: configurations.map(onNode),
  }
}

// internal

function* allNeeds(settings: Settings, type: string): Generator<Need> {
  const folders = foldersHere(settings, type)
  yield* findNeeds(type, folders)
  const mounts = [...folders.records, ...folders.results].map((folder) => mountOf(settings, folder))
  for (const mount of new Set(mounts)) {
    if (mount === undefined || isFolder(mount)) continue
    const reason = `cannot be searched: mount ${settings.nodePaths[mount] ?? ''} of the node there, read-only`
    yield { kind: 'unknown', path: mount, reason }
  }
}

/** Folder on the node in which containerd caches the results of ADD. */
const CONTAINERD_CACHE = '/var/lib/cni'

function foldersHere(settings: Settings, type: string): NeedFolders {
  const { netDir, recordDirs, recordsRoot, cacheDirs, runtime } = settings
  const configurations = [netDir]
  if (runtime === 'containerd') {
    // Ignores containerd's cached results, because containerd runs DEL with the current list instead.
    const others = cacheDirs.filter((folder) => pathOnNode(settings, folder) !== CONTAINERD_CACHE)
    return { records: [], results: others.map(resultsIn), configurations }
  }
  const records = recordDirs ?? [`${recordsRoot}/${type}/attachments`, `${recordsRoot}/${type}`]
  return { records, results: cacheDirs.map(resultsIn), configurations }
}

const resultsIn = (cacheDir: string): string => join(cacheDir, 'results')

function pathOnNode(settings: Settings, path: string): string {
  const mount = mountOf(settings, path)
  return mount === undefined ? path : `${settings.nodePaths[mount] ?? mount}${path.slice(mount.length)}`
}

/** Finds the mount of a node folder that contains the given path. Returns the innermost of nested mounts. */
function mountOf({ nodePaths }: Settings, path: string): string | undefined {
  const mounts = Object.keys(nodePaths).filter((one) => path === one || path.startsWith(`${one}/`))
  return mounts.sort((one, other) => other.length - one.length)[0]
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // The folder of the node is not mounted in this container.
    return false
  }
}
