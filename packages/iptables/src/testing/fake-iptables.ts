import { type Iptables, iptables } from '../iptables.ts'
import type { IptablesOptions } from '../work.ts'
import { type FakeKernel, fakeKernel } from './fake-kernel.ts'

/** An `Iptables` over a fake kernel. */
export type FakeIptables = Iptables &
  Omit<FakeKernel, 'port' | 'restore'> & {
    /** Runs restore text as someone else would: `restore` of the kernel. */
    readonly tamper: FakeKernel['restore']
  }

/**
 * `iptables()` without a kernel and without root, for tests of code that takes an `Iptables`: the same plans, errors
 * and drift as the real one, over tables in memory.
 *
 * @example
 * ```ts
 * import { ruleset } from '@cni/iptables'
 * import { fakeIptables } from '@cni/iptables/testing'
 *
 * const fake = fakeIptables()
 * await fake.apply(ruleset({ filter: ['EX'] }, (t) => [t.filter.on('INPUT').jump('EX'), t.filter.on('EX').drop()]))
 * fake.dump() // '*filter\n:EX - [0:0]\n-A INPUT -j EX\n-A EX -j DROP\nCOMMIT\n'
 * ```
 */
export function fakeIptables(
  options: NonNullable<Parameters<typeof fakeKernel>[0]> & Omit<IptablesOptions, 'port' | 'backend'> = {},
): FakeIptables {
  const { port, restore: tamper, ...kernel } = fakeKernel(options)
  const { families, waitSeconds, print } = options
  return { ...iptables('host', { families, waitSeconds, print, port }), ...kernel, tamper }
}
