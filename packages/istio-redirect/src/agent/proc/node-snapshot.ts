import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { errnoOf, messageOf } from '@cni/types'
import { namespaceKey, namespaceOfProcess, nodeNamespace, reservedNamespaces } from './namespace-identity.ts'
import { namesIn, processIds } from './proc-files.ts'

/** Network namespace in a snapshot of the node, with its processes and mounts. */
export interface SeenNamespace {
  /** IDs of the processes in the network namespace. */
  readonly pids: string[]
  /** Paths of the files on which the network namespace is mounted, such as `/run/netns/…`. */
  readonly mounts: string[]
}

/** Snapshot of all network namespaces on a node, except the namespaces of the node and of the agent. */
export interface NodeSnapshot {
  readonly hostProc: string
  /** Map from keys (`dev:ino`) to the network namespaces of the snapshot. */
  readonly namespaces: ReadonlyMap<string, SeenNamespace>
  /** Reason why some mounts of network namespaces may be missing in the snapshot, as a sentence. */
  readonly mountsProblem: string | undefined
}

/**
 * Takes a snapshot of the network namespaces on a node, from processes and mounts.
 *
 * @throws `DiscoveryError` if the node's own namespace is unknown.
 */
export async function takeNodeSnapshot(hostProc: string): Promise<NodeSnapshot> {
  const namespaces = new Map<string, SeenNamespace>()
  const reserved = reservedNamespaces(hostProc)
  const seen = (key: string): SeenNamespace | undefined => {
    if (reserved.has(key)) return undefined
    const known = namespaces.get(key) ?? { pids: [], mounts: [] }
    namespaces.set(key, known)
    return known
  }
  let inspected = 0
  // Pauses for other work, because a node may have thousands of processes.
  const pause = async (): Promise<void> => {
    inspected += 1
    if (inspected % 256 === 0) await yieldToEventLoop()
  }
  const dev = nodeNamespace(hostProc).split(':')[0]
  for (const pid of processIds(hostProc)) {
    await pause()
    const key = namespaceOfProcess(join(hostProc, pid))
    if (key !== undefined) seen(key)?.pids.push(pid)
  }
  const { folders, problem } = mountFolders(dirname(hostProc))
  let mountsProblem = problem
  for (const folder of folders) {
    try {
      const { names, isCut } = namesIn(folder, MAX_MOUNTS)
      if (isCut) mountsProblem = `${folder} has more than ${MAX_MOUNTS} entries, and the rest is ignored`
      for (const name of names) {
        await pause()
        const path = join(folder, name)
        const key = mountedAt(path, dev)
        if (key !== undefined) seen(key)?.mounts.push(path)
      }
    } catch (error) {
      mountsProblem = `${folder} cannot be read: ${messageOf(error)}`
    }
  }
  return { hostProc, namespaces, mountsProblem }
}

// internal

/** Maximal number of mounted network namespaces read from a folder. A node has one per pod, usually about a hundred. */
const MAX_MOUNTS = 4096

/** Folders of named network namespaces. Skips symbolic links that leave the root. */
function mountFolders(root: string): { readonly folders: readonly string[]; readonly problem: string | undefined } {
  const below = join(realpathSync(root), sep)
  const folders = new Set<string>()
  for (const path of ['run/netns', 'var/run/netns']) {
    try {
      const folder = realpathSync(join(root, path))
      if (folder.startsWith(below)) folders.add(folder)
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error
    }
  }
  const wanted = join(root, 'var/run/netns')
  return { folders: [...folders], problem: folders.size > 0 ? undefined : `${wanted} is missing: mount it` }
}

/** Reads the key of the network namespace that is mounted on a file. Never opens other files. */
function mountedAt(path: string, dev: string | undefined): string | undefined {
  try {
    const stat = lstatSync(path, { bigint: true })
    return String(stat.dev) === dev ? namespaceKey(stat) : undefined
  } catch {
    return undefined // The network namespace was unmounted during the snapshot.
  }
}
