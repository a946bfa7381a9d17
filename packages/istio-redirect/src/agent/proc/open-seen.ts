import { join } from 'node:path'
import { isNetnsError, type Netns, netns } from '@cni/netns'
import { namespaceKey } from './namespace-identity.ts'
import type { NodeLook } from './node-look.ts'
import { podOfProcess } from './proc-files.ts'

/**
 * Opens the namespace of a process. Returns `undefined` if the process no longer belongs to the pod `uid`. Without
 * `uid`, returns `undefined` if the process belongs to any pod.
 */
export function openOfProcess(
  { hostProc }: NodeLook,
  key: string,
  pid: string,
  uid: string | undefined,
): Netns | undefined {
  const opened = openIfSame(join(hostProc, pid, 'ns/net'), key)
  // The kernel reuses process ids, so the pod of the process is checked after opening.
  if (opened === undefined || podOfProcess(hostProc, pid) === uid) return opened
  opened.close()
  return undefined
}

/** Opens a namespace that contains no process of a pod. */
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

/** Number of processes to try, as some of them may have ended. */
const TRIES = 8

/** Opens the namespace at a path. Returns `undefined` if the path is gone or leads to another namespace than before. */
function openIfSame(path: string, key: string): Netns | undefined {
  try {
    const opened = netns.open(path)
    if (namespaceKey(opened) === key) return opened
    opened.close()
    return undefined
  } catch (error) {
    if (isNetnsError(error)) return undefined // The last process has ended, or the file is not a network namespace.
    throw error
  }
}
