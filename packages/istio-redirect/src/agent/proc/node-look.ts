import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { errnoOf, messageOf } from '@cni/types'
import { namespaceKey, namespaceOfProcess, nodeNamespace, reservedNamespaces } from './namespace-identity.ts'
import { namesIn, processIds } from './proc-files.ts'

/** A network namespace as it was seen on the node. */
export interface SeenNamespace {
  /** Processes in it. */
  readonly pids: string[]
  /** Files of the folder of named namespaces that it is mounted on. */
  readonly mounts: string[]
}

/** The network namespaces of a node at one moment, without the node's own and the agent's. */
export interface NodeLook {
  readonly hostProc: string
  /** By `dev:ino`. */
  readonly namespaces: ReadonlyMap<string, SeenNamespace>
  /** Why mounts are not known, or not all of them, in a sentence. */
  readonly mountsProblem: string | undefined
}

/**
 * Looks once at all processes of a node, and at the mounts in `run/netns` and `var/run/netns` beside its procfs.
 *
 * @throws `DiscoveryError` when it cannot be told which namespace is the node's.
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
  // Thousands of processes must not delay what else the agent does.
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
      if (isCut) mountsProblem = `${folder} has more than ${MOST_MOUNTS} entries, and the rest is not looked at`
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

/** A node has one mount for each pod, and about a hundred pods. */
const MOST_MOUNTS = 4096

/** The folders of named namespaces below the root of the node's files, each once; links that lead out of it do not count. */
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
  return { folders: [...folders], problem: folders.size > 0 ? undefined : `${wanted} is not there: mount it` }
}

/**
 * The key of the namespace that is mounted on a file. All namespaces are files of one file system of the kernel, so that
 * any other file, and each link, is told by its device and never opened.
 */
function mountedAt(path: string, dev: string | undefined): string | undefined {
  try {
    const stat = lstatSync(path, { bigint: true })
    return String(stat.dev) === dev ? namespaceKey(stat) : undefined
  } catch {
    return undefined // unmounted meanwhile
  }
}
