import type { Netns, NetnsTarget } from '../handle/netns.ts'
import { NetnsError } from '../handle/netns-error.ts'

/** Checks at run time that the caller named a namespace, for JavaScript callers. */
export function assertTarget(target: unknown): asserts target is NetnsTarget {
  if (target === 'host' || isHandle(target)) return
  if (target === undefined || target === null || target === '') {
    throw new NetnsError('MISSING', "No network namespace given: expected an open Netns, or 'host' for the node's own")
  }
  const got = typeof target === 'string' ? JSON.stringify(target) : typeof target
  throw new NetnsError('INVALID', `Not a network namespace: ${got}; open its path with netns.open`)
}

// Recognises a `Netns` by its members, not by its class. A bundle may contain two copies of the class.
function isHandle(target: unknown): target is Netns {
  return typeof target === 'object' && target !== null && 'isSame' in target && 'ino' in target && 'fd' in target
}

/** Returns the name of a network namespace for error messages. */
export function targetName(target: NetnsTarget): string {
  return target === 'host' ? 'the host' : JSON.stringify(target.path)
}
