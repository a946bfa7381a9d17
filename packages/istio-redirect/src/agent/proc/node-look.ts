import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { errnoOf, messageOf } from '@cni/types'
import { namespaceKey, namespaceOfProcess, nodeNamespace, reservedNamespaces } from './namespace-identity.ts'
import { namesIn, processIds } from './proc-files.ts'

/** Network namespace that was seen on the node. */
export interface SeenNamespace {
  /** Processes in the namespace. */
  readonly pids: string[]
  /** Files in the folder of named namespaces on which the namespace is mounted. */
  readonly mounts: string[]
}

/** Snapshot of a node's network namespaces, without the node's own and the agent's. */
export interface NodeLook {
  readonly hostProc: string
  /** Namespaces by their keys (`dev:ino`). */
  readonly namespaces: ReadonlyMap<string, SeenNamespace>
  /** Reason why mounts are unknown or incomplete, as a sentence. */
  readonly mountsProblem: string | undefined
}

/**
 * Takes a snapshot of a node: all processes, and the mounts in `run/netns` and `var/run/netns` beside the node's
 * procfs.
 *
 * @throws `DiscoveryError` if the node's own namespace is unknown.
 */
export async function lookAtNode(hostProc: string): Promise<NodeLook> {
  const namespaces = new Map<string, SeenNamespace>()
  const reserved = reservedNamespaces(hostProc)
  const seen = (key: string): SeenNamespace | undefined => {
    if (reserved.has(key)) return undefined
    const known = namespaces.get(key) ?? { pids: [], mounts: [] }
    namespaces.set(key, known)
    return known
  }
  let looked = 0
  // Yields regularly, so that thousands of processes do not block the agent.
  const pause = async (): Promise<void> => {
    looked += 1
    if (looked % 256 === 0) await breathe()
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
      const { names, isCut } = namesIn(folder, MOST_MOUNTS)
      if (isCut) mountsProblem = `${folder} has more than ${MOST_MOUNTS} entries, and the rest is ignored`
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

/** Limit of mounts. A node has one mount per pod, and usually about a hundred pods. */
const MOST_MOUNTS = 4096

/**
 * Folders of named namespaces below the root of the node's files, without duplicates. Links that leave the root are
 * skipped.
 */
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

/**
 * Key of the namespace that is mounted on a file. All namespaces have the device number of the kernel's nsfs. Other
 * files
 * and links have other devices and are never opened.
 */
function mountedAt(path: string, dev: string | undefined): string | undefined {
  try {
    const stat = lstatSync(path, { bigint: true })
    return String(stat.dev) === dev ? namespaceKey(stat) : undefined
  } catch {
    return undefined // The namespace was unmounted in the meantime.
  }
}
