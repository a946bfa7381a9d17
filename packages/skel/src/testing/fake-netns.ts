import { openSync } from 'node:fs'
import { Netns } from '@cni/netns/handle'

/** A handle that represents a namespace without being one. */
export class FakeNetns extends Netns {
  constructor(path: string, identity: { dev: bigint; ino: bigint }) {
    super(path, openSync('/dev/null', 'r'), identity)
  }
}

/**
 * Fakes a namespace: the handle can be compared and closed, but not entered. Two fakes with the same number are equal;
 * none equals the node's.
 * Pass it as `netns` to `testPlugin`, and to `fakeRtnl().open` to prepare and inspect its links.
 *
 * @example
 * ```ts
 * using pod = fakeNetns('/run/netns/pod', 1)
 * const { result } = await testPlugin(plugin, { netns: pod }).add()
 * ```
 */
export function fakeNetns(path: string, number: number): Netns {
  return new FakeNetns(path, { dev: 0n, ino: BigInt(number) })
}
