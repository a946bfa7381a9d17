import { join } from 'node:path'
import { isNetnsError, type Netns, netns } from '@cni/netns'
import { namespaceKey } from './namespace-identity.ts'
import type { NodeSnapshot } from './node-snapshot.ts'
import { podOfProcess } from './proc-files.ts'

/** Opens the network namespace of a process, if the process still belongs to the pod `uid`. */
export function openOfProcess(
  { hostProc }: NodeSnapshot,
  key: string,
  pid: string,
  uid: string | undefined,
): Netns | undefined {
  const opened = openIfSame(join(hostProc, pid, 'ns/net'), key)
  // Checks the pod after opening, because the kernel may have reused the process ID.
  if (opened === undefined || podOfProcess(hostProc, pid) === uid) return opened
  opened.close()
  return undefined
}

/** Opens a network namespace of the snapshot that contains no process of a pod. */
export function openUnowned(snapshot: NodeSnapshot, key: string): Netns | undefined {
  const { pids = [], mounts = [] } = snapshot.namespaces.get(key) ?? {}
  for (const pid of pids.slice(0, MAX_TRIES)) {
    const opened = openOfProcess(snapshot, key, pid, undefined)
    if (opened !== undefined) return opened
  }
  const [path] = mounts
  return path === undefined ? undefined : openIfSame(path, key)
}

// internal

/** Maximal number of processes to try for a namespace, because processes may have ended. */
const MAX_TRIES = 8

/** Opens the network namespace at a path, if the namespace still has the key `key`. */
function openIfSame(path: string, key: string): Netns | undefined {
  try {
    const opened = netns.open(path)
    if (namespaceKey(opened) === key) return opened
    opened.close()
    return undefined
  } catch (error) {
    // The last process of the namespace has ended, or the file at the path is not a network namespace.
    if (isNetnsError(error)) return undefined
    throw error
  }
}
