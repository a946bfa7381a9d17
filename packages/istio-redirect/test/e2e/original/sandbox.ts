import { writeFileSync } from 'node:fs'
import { isRunError, type RunResult, run } from '@cni/host'
import { type Netns, netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { PATH } from './peers.ts'

/** What a namespace holds before a program is let loose on it. */
export interface Sandbox {
  /** Addresses of `eth0`, which is always there; `address/bits`. */
  readonly addresses: readonly string[]
  /** Interfaces on which IPv6 is switched off, addresses or not; `all` for every one. */
  readonly withoutIpv6?: readonly string[]
  /** Rules of somebody else, each one command of iptables. */
  readonly foreign: readonly string[]
}

/** A namespace prepared in the same way as any other of the same {@link Sandbox}. */
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

/** No address by itself, which would differ with the MAC; and no waiting for those that are given. */
function quietIpv6(): void {
  for (const scope of ['all', 'default']) {
    writeFileSync(`/proc/sys/net/ipv6/conf/${scope}/addr_gen_mode`, '1')
    writeFileSync(`/proc/sys/net/ipv6/conf/${scope}/accept_dad`, '0')
  }
}

/** Its IPv6 addresses go with it. */
function switchIpv6Off(link: string): void {
  writeFileSync(`/proc/sys/net/ipv6/conf/${link}/disable_ipv6`, '1')
}

/** What came of a program, whatever it is. */
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
