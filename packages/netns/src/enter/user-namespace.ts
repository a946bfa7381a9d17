import { closeSync, fstatSync, statSync } from 'node:fs'
import type { Netns } from '../handle/netns.ts'
import { loadSys } from '../sys/load-sys.ts'

const NS_GET_USERNS = 0xb701

/**
 * The descriptor of the user namespace that owns a network namespace, when that is not ours: a pod with
 * `hostUsers: false`. There the kernel takes users and groups in iptables rules only from a process of that user
 * namespace (EINVAL otherwise), and a process with several threads, as ours, cannot enter one. Close it when the
 * program has ended.
 */
export function foreignUserNamespace(target: Netns): number | undefined {
  let owner: number
  try {
    owner = loadSys().ioctl(target.fd, NS_GET_USERNS, new Uint8Array(8))
  } catch {
    // Before Linux 4.9, or not below our own user namespace: nothing we could enter.
    return undefined
  }
  const own = statSync('/proc/thread-self/ns/user')
  const { dev, ino } = fstatSync(owner)
  if (dev !== own.dev || ino !== own.ino) return owner
  closeSync(owner)
  return undefined
}

/**
 * Whether a network namespace belongs to another user namespace than ours, as that of a pod with `hostUsers: false`. There
 * the kernel takes users and groups in iptables rules only from a process of that user namespace.
 */
export function hasOwnUsers(target: Netns): boolean {
  const owner = foreignUserNamespace(target)
  if (owner === undefined) return false
  closeSync(owner)
  return true
}
