import { writeFileSync } from 'node:fs'
import { isRunError, type RunResult, run } from '@cni/host'
import { type Netns, netns, openRtnl } from '@cni/netns'
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
  const target = await tempNetns()
  try {
    netns.run(target, quietIpv6)
    {
      using rtnl = await openRtnl(target)
      await rtnl.addLink({ name: 'eth0', kind: 'bridge' })
      await rtnl.setLinkUp('eth0')
      for (const address of addresses) await rtnl.addAddress('eth0', address)
    }
    netns.run(target, () => withoutIpv6.forEach(switchIpv6Off))
    if (foreign.length > 0) await netns.exec(target, ['sh', '-ec', foreign.join('\n')], { env: { PATH } })
    return target
  } catch (error) {
    await target[Symbol.asyncDispose]()
    throw error
  }
}

/** Disables duplicate address detection, and automatic IPv6 addresses, which depend on the MAC. */
function quietIpv6(): void {
  for (const scope of ['all', 'default']) {
    writeFileSync(`/proc/sys/net/ipv6/conf/${scope}/addr_gen_mode`, '1')
    writeFileSync(`/proc/sys/net/ipv6/conf/${scope}/accept_dad`, '0')
  }
}

/** Disables IPv6 on an interface. The kernel also removes the interface's IPv6 addresses. */
function switchIpv6Off(link: string): void {
  writeFileSync(`/proc/sys/net/ipv6/conf/${link}/disable_ipv6`, '1')
}

/** Runs a program, in the namespace `target` if given. Also resolves if the program fails. */
export async function outcome(
  argv: Parameters<typeof run>[0],
  options: Parameters<typeof run>[1],
  target?: Netns,
): Promise<RunResult> {
  try {
    return await (target === undefined ? run(argv, options) : netns.exec(target, argv, options))
  } catch (error) {
    if (isRunError(error)) return error
    throw error
  }
}
