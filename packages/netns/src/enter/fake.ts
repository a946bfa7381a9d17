import { readlinkSync } from 'node:fs'
import type { NetnsTarget } from '../handle/netns.ts'
import { NetnsError } from '../handle/netns-error.ts'
import { targetName } from './target.ts'

/**
 * Creates the error for a call that tries to enter the fake network namespace of a test (`fakeNetns`). Returns
 * `undefined` for a real namespace.
 */
export function fakeRefusal(target: NetnsTarget, cause: unknown): NetnsError | undefined {
  if (target === 'host' || !isFake(target.fd)) return undefined
  const message =
    `Could not enter ${targetName(target)}: it is the fake namespace of a test (fakeNetns), which nothing can enter; ` +
    'give the plugin fakes (fakeRtnl, fakeSysctl, fakeIptables), or run the test as root in tempNetns() of @cni/netns/testing'
  return new NetnsError('FAKE', message, { path: target.path, cause })
}

function isFake(fd: number): boolean {
  try {
    return readlinkSync(`/proc/thread-self/fd/${fd}`) === '/dev/null'
  } catch {
    return false
  }
}
