import type { Netns, NetnsTarget } from '../handle/netns.ts'
import { NetnsError } from '../handle/netns-error.ts'

/** Checks the target at run time, for JavaScript callers. `undefined` is an error: there is no default target. */
export function assertTarget(target: unknown): asserts target is NetnsTarget {
  if (target === 'host' || isHandle(target)) return
  if (target === undefined || target === null || target === '') {
    throw new NetnsError('MISSING', "No network namespace given: expected an open Netns, or 'host' for the node's own")
  }
  const got = typeof target === 'string' ? JSON.stringify(target) : typeof target
  throw new NetnsError('INVALID', `Not a network namespace: ${got}; open its path with netns.open`)
}

// Checks the members of the object instead of its class. A bundle may contain two copies of the class `Netns`.
function isHandle(target: unknown): target is Netns {
  return typeof target === 'object' && target !== null && 'isSame' in target && 'ino' in target && 'fd' in target
}

/** Name of a target for messages. */
export function targetName(target: NetnsTarget): string {
  return target === 'host' ? 'the host' : JSON.stringify(target.path)
}
