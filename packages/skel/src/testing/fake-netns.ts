import { openSync } from 'node:fs'
import { Netns } from '@cni/netns/handle'

/**
 * A handle that is no namespace: it can be compared and closed, and whoever tries to enter it fails. Two of them are
 * the same when their numbers are.
 *
 * @example
 * ```ts
 * using pod = fakeNetns('/run/netns/pod', 1)
 * ```
 */
export function fakeNetns(path: string, number: number): Netns {
  return new Netns(path, openSync('/dev/null', 'r'), { dev: 0n, ino: BigInt(number) })
}
