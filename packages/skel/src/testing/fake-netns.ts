import { openSync } from 'node:fs'
import { Netns } from '@cni/netns/handle'

/** Handle that represents a network namespace in tests, without a real namespace. */
export class FakeNetns extends Netns {
  constructor(path: string, identity: { dev: bigint; ino: bigint }) {
    super(path, openSync('/dev/null', 'r'), identity)
  }
}

/**
 * Creates a fake network namespace, which a test cannot enter. Fakes with the same number are equal; no fake equals the
 * node's namespace. Pass the fake as `netns` to `testPlugin`. `fakeRtnl().open` prepares and inspects its links.
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
