import { statSync } from 'node:fs'
import { join } from 'node:path'
import { findNeeds, type Need, type NeedFolders } from '@cni/skel'
import type { Settings } from '../options.ts'

/** Files and folders that still need a plugin. */
export interface Needs {
  readonly named: readonly Need[]
  /** Number of further needs. */
  readonly more: number
}

/** Maximum number of needs in a report. */
const MAX_NAMED = 20

/** Current needs of a plugin, as far as this process can read the folders of the node. */
export function needsOf(settings: Settings, type: string): Needs {
  const named: Need[] = []
  let more = 0
  for (const need of allNeeds(settings, type)) {
    if (named.length < MAX_NAMED) named.push(need)
    else more += 1
  }
  return { named, more }
}

/** Folders to search, by their paths on the node. The plugin reads them from the marker. */
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

/** Folder in which containerd caches results. */
const CONTAINERD_CACHE = '/var/lib/cni'

function foldersHere(settings: Settings, type: string): NeedFolders {
  const { netDir, recordDirs, recordsRoot, cacheDirs, runtime } = settings
  const configurations = [netDir]
  if (runtime === 'containerd') {
    // containerd deletes with the current list, which no longer names the plugin. Multus deletes with the list of the
    // ADD.
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

/** Mount of the node that contains a path: the longest one. */
function mountOf({ nodePaths }: Settings, path: string): string | undefined {
  const mounts = Object.keys(nodePaths).filter((one) => path === one || path.startsWith(`${one}/`))
  return mounts.sort((one, other) => other.length - one.length)[0]
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    // Missing: the folder of the node is not mounted.
    return false
  }
}
