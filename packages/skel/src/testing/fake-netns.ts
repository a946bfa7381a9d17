import { openSync } from 'node:fs'
import { Netns } from '@cni/netns/handle'

/** A handle that stands for a namespace without being one. */
export class FakeNetns extends Netns {
  constructor(path: string, identity: { dev: bigint; ino: bigint }) {
    super(path, openSync('/dev/null', 'r'), identity)
  }
}

/**
 * A handle that is no namespace: it can be compared and closed, and whoever tries to enter it fails. Two of them are
 * the same when their numbers are; none is the node's. `testPlugin` takes it as `netns`, and `fakeRtnl().open` as the
 * namespace to seed and to look into.
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
