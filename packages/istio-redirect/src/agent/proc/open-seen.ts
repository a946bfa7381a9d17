import { join } from 'node:path'
import { isNetnsError, type Netns, netns } from '@cni/netns'
import { namespaceKey } from './namespace-identity.ts'
import type { NodeLook } from './node-look.ts'
import { podOfProcess } from './proc-files.ts'

/**
 * Opens the network namespace of a process. Returns `undefined` if the process does not belong to the pod `uid` any
 * more. If `uid` is missing, the process must belong to no pod.
 */
export function openOfProcess(
  { hostProc }: NodeLook,
  key: string,
  pid: string,
  uid: string | undefined,
): Netns | undefined {
  const opened = openIfSame(join(hostProc, pid, 'ns/net'), key)
  // Checks the pod of the process after opening, because the kernel may have given the process ID to another process.
  if (opened === undefined || podOfProcess(hostProc, pid) === uid) return opened
  opened.close()
  return undefined
}

/** Opens a network namespace of the snapshot that contains no process of a pod. */
export function openUnowned(look: NodeLook, key: string): Netns | undefined {
  const { pids = [], mounts = [] } = look.namespaces.get(key) ?? {}
  for (const pid of pids.slice(0, TRIES)) {
    const opened = openOfProcess(look, key, pid, undefined)
    if (opened !== undefined) return opened
  }
  const [path] = mounts
  return path === undefined ? undefined : openIfSame(path, key)
}

// internal

/**
 * Maximal number of processes through which the agent tries to open a network namespace. Some of the processes may have
 * ended.
 */
const TRIES = 8

/**
 * Opens the network namespace at a path. Returns `undefined` if the path is gone, or leads to another namespace than in
 * the snapshot.
 */
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
