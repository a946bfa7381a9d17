import { usableAddresses } from '@cni/istio-rules'
import { type NetnsTarget, readFile } from '@cni/netns'
import { foundAddresses, type KnownAddresses, mayHaveLostIpv6 } from '../decide/captured-families.ts'
import { inet6Addresses } from '../decide/inet6-file.ts'
import { addressesOf } from './namespace-network.ts'
import type { RedirectContext } from './redirect-context.ts'

/** Pod's addresses that earlier plugins of the chain report in `prevResult`. */
export interface ReportedAddresses {
  /** Addresses with or without `/bits`. Empty if the call has no `prevResult`. */
  readonly addresses: readonly string[]
  /** Name of the pod's interface that has the addresses. Absent if the call has no `prevResult`. */
  readonly ifName?: string
}

/** Reads the addresses of a pod's namespace from the kernel. */
export async function knownAddresses(
  { netns }: Pick<RedirectContext, 'netns'>,
  { addresses, ifName }: ReportedAddresses,
): Promise<KnownAddresses> {
  const reported = usableAddresses(addresses)
  const found = reported.ipv4.length > 0 ? inet6Addresses(await inet6Of(netns)) : await addressesOf(netns)
  const ipv6Off = mayHaveLostIpv6(reported, foundAddresses(found)) && (await isIpv6SwitchedOff(netns, ifName))
  return { place: netns.path, told: addresses, found, ipv6Off }
}

// internal

/** Reads the IPv6 addresses of a network namespace from procfs. Empty if the kernel has no IPv6. */
const inet6Of = async (netns: NetnsTarget): Promise<string> =>
  (await readFile(netns, '/proc/thread-self/net/if_inet6')) ?? ''

/** True if a sysctl disables IPv6 on the pod's interface, or on `lo`, where the proxy needs an address. */
async function isIpv6SwitchedOff(netns: NetnsTarget, ifName: string | undefined): Promise<boolean> {
  // A missing file means disabled IPv6. Other plugins enable IPv6 per interface, not in `conf/all`.
  if ((await disabledOn(netns, 'lo')) !== '0') return true
  return ifName !== undefined && (await disabledOn(netns, ifName)) === '1'
}

const disabledOn = async (netns: NetnsTarget, link: string): Promise<string | undefined> =>
  (await readFile(netns, `/proc/sys/net/ipv6/conf/${link}/disable_ipv6`))?.trim()
