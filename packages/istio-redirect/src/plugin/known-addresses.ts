import { type NetnsTarget, readFile } from '@cni/netns'
import { type KnownAddresses, mayHaveLostIpv6 } from '../decide/captured-families.ts'
import { inet6Addresses } from '../decide/inet6-file.ts'
import { usableAddresses } from '../redirect/families.ts'
import { addressesOf } from './namespace-network.ts'
import type { RedirectContext } from './redirect-context.ts'

/** What somebody told of a pod's addresses. */
export interface ToldAddresses {
  /** The addresses that the pod has, as far as somebody told. */
  readonly addresses: readonly string[]
  /** The interface that has them; unknown to who was told none. */
  readonly ifName?: string
}

/**
 * Asks the kernel what else is to be known of the addresses of a namespace: of IPv6 from a file, and over a socket only where
 * nobody told an IPv4 address.
 */
export async function knownAddresses(
  { netns }: Pick<RedirectContext, 'netns'>,
  { addresses: told, ifName }: ToldAddresses,
): Promise<KnownAddresses> {
  const isTold = usableAddresses(told).ipv4.length > 0
  const found = isTold ? inet6Addresses(await inet6Of(netns)) : await addressesOf(netns)
  const ipv6Off = mayHaveLostIpv6({ told, found }) && (await isIpv6SwitchedOff(netns, ifName))
  return { place: netns.path, told, found, ipv6Off }
}

// internal

/** The kernel's list of IPv6 addresses of a namespace; empty where it has no IPv6. */
const inet6Of = async (netns: NetnsTarget): Promise<string> =>
  (await readFile(netns, '/proc/thread-self/net/if_inet6')) ?? ''

/** Whether the interface of the pod, or `lo`, on which the proxy needs an address, can have no IPv6 address. */
async function isIpv6SwitchedOff(netns: NetnsTarget, ifName: string | undefined): Promise<boolean> {
  // Without the file the kernel has no IPv6 at all. That of `all` says nothing: plugins switch single interfaces on.
  if ((await disabledOn(netns, 'lo')) !== '0') return true
  return ifName !== undefined && (await disabledOn(netns, ifName)) === '1'
}

const disabledOn = async (netns: NetnsTarget, link: string): Promise<string | undefined> =>
  (await readFile(netns, `/proc/sys/net/ipv6/conf/${link}/disable_ipv6`))?.trim()
