import { type Netns, netns, openRtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { PATH } from './peers.ts'

/** Initial state of a test's network namespace, before a program runs in it. */
export interface Sandbox {
  /** Addresses of the namespace's interface `eth0`, as `address/bits`. The interface always exists. */
  readonly addresses: readonly string[]
  /** Interfaces of the namespace on which IPv6 is disabled. `all` disables IPv6 on every interface. */
  readonly withoutIpv6?: readonly string[]
  /** Rules of other programs in the namespace, each as one iptables command. */
  readonly foreign: readonly string[]
}

/** Creates a network namespace for a test. Equal options always create an equal namespace. */
export async function sandbox({ addresses, withoutIpv6 = [], foreign }: Sandbox): Promise<Netns & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const target = starting.use(await tempNetns())
  const settings = sysctl(target)
  for (const scope of ['all', 'default']) {
    // Disables automatic IPv6 addresses, because they depend on the MAC.
    await settings.set(`net.ipv6.conf.${scope}.addr_gen_mode`, 1)
    await settings.set(`net.ipv6.conf.${scope}.accept_dad`, 0)
  }
  using rtnl = await openRtnl(target)
  await rtnl.addLink({ name: 'eth0', kind: 'bridge', up: true })
  for (const address of addresses) await rtnl.addAddress('eth0', address)
  // The kernel also removes the IPv6 addresses of an interface on which IPv6 is disabled.
  for (const link of withoutIpv6) await settings.set(`net.ipv6.conf.${link}.disable_ipv6`, 1)
  if (foreign.length > 0) await netns.exec(target, ['sh', '-ec', foreign.join('\n')], { env: { PATH } })
  starting.move()
  return target
}
