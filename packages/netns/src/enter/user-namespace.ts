import { closeSync, fstatSync, statSync } from 'node:fs'
import type { Netns } from '../handle/netns.ts'
import { loadSys } from '../sys/load-sys.ts'

const NS_GET_USERNS = 0xb701

/**
 * Opens the user namespace that owns a network namespace. The caller closes the descriptor. Returns `undefined` if the
 * owner is the user namespace of this process, or unknown.
 */
export function otherUserNamespace(target: Netns): number | undefined {
  let owner: number
  try {
    owner = loadSys().ioctl(target.fd, NS_GET_USERNS, new Uint8Array(8))
  } catch {
    // The ioctl fails if this process cannot enter the user namespace, or before Linux 4.9.
    return undefined
  }
  const own = statSync('/proc/thread-self/ns/user')
  const { dev, ino } = fstatSync(owner)
  if (dev !== own.dev || ino !== own.ino) return owner
  closeSync(owner)
  return undefined
}

/**
 * True if a network namespace belongs to another user namespace, as with `hostUsers: false`. Only processes of that
 * user namespace may add iptables rules that match users or groups.
 */
export function hasOwnUsers(target: Netns): boolean {
  const owner = otherUserNamespace(target)
  if (owner === undefined) return false
  closeSync(owner)
  return true
}
