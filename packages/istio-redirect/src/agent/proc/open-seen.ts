import { join } from 'node:path'
import { isNetnsError, type Netns, netns } from '@cni/netns'
import { namespaceKey } from './namespace-identity.ts'
import type { NodeLook } from './node-look.ts'
import { podOfProcess } from './proc-files.ts'

/** Opens the namespace of a process of a pod, or of none; `undefined` if that is no longer so. */
export function openOfProcess(
  { hostProc }: NodeLook,
  key: string,
  pid: string,
  uid: string | undefined,
): Netns | undefined {
  const opened = openIfSame(join(hostProc, pid, 'ns/net'), key)
  // The number of a process is used again.
  if (opened === undefined || podOfProcess(hostProc, pid) === uid) return opened
  opened.close()
  return undefined
}

/** Opens a namespace that no process of a pod is in. */
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

/** Some of the processes may have ended. */
const TRIES = 8

/** Opens the namespace at a path; `undefined` if nothing is there, or another one than was seen. */
function openIfSame(path: string, key: string): Netns | undefined {
  try {
    const opened = netns.open(path)
    if (namespaceKey(opened) === key) return opened
    opened.close()
    return undefined
  } catch (error) {
    if (isNetnsError(error)) return undefined // its last process has ended, or it is a namespace of another kind
    throw error
  }
}
