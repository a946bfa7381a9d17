import { type NetnsTarget, readFile } from '@cni/netns'
import { formatAddress } from '@cni/types/ip'
import { type KnownAddresses, mayHaveLostIpv6 } from '../decide/captured-families.ts'
import { PASSTHROUGH } from '../redirect/addresses.ts'
import { type UsableAddresses, usableAddresses } from '../redirect/families.ts'
import type { RedirectContext } from './redirect-context.ts'

/** What somebody told of a pod's addresses. */
export interface ToldAddresses {
  /** The addresses that the pod has, as far as somebody told. */
  readonly addresses: readonly string[]
  /** The interface that has them; unknown to who was told none. */
  readonly ifName?: string
}

/** Asks the kernel what else is to be known of the addresses of a namespace. */
export async function knownAddresses(
  { netns }: Pick<RedirectContext, 'netns'>,
  { addresses, ifName }: ToldAddresses,
): Promise<KnownAddresses> {
  const told = usableAddresses(addresses)
  const found = usableAddresses(await addressesIn(netns, told))
  const ipv6Off = mayHaveLostIpv6({ told, found }) && (await isSwitchedOff(netns, ifName))
  return { place: netns.path, addresses, told, found, ipv6Off }
}

/**
 * What the kernel knows besides: of IPv6 from a file, which takes 0.2 ms, and only for a pod of which nobody told an
 * IPv4 address over a socket, which takes 1 ms.
 */
async function addressesIn(netns: NetnsTarget, told: UsableAddresses): Promise<string[]> {
  const addresses = told.ipv4.length > 0 ? await ipv6AddressesOf(netns) : await allAddressesOf(netns)
  // An earlier ADD put it there.
  return addresses.filter((address) => address !== PASSTHROUGH.ipv6)
}

const allAddressesOf = async (netns: NetnsTarget): Promise<string[]> =>
  (await import('./namespace-network.ts')).addressesOf(netns)

/** Those that no other host can reach are left out here: taking an address apart for the first time takes 0.3 ms. */
async function ipv6AddressesOf(netns: NetnsTarget): Promise<string[]> {
  const text = await readFile(netns, '/proc/thread-self/net/if_inet6')
  const addresses: string[] = []
  for (const line of text?.split('\n') ?? []) {
    const fields = line.split(' ')
    const digits = fields[0]
    const bits = fields[2]
    const scope = fields[3]
    if (digits === undefined || bits === undefined || scope === hostScope || scope === linkScope) continue
    addresses.push(`${formatAddress(Buffer.from(digits, 'hex'))}/${Number.parseInt(bits, 16)}`)
  }
  return addresses
}

/** As in the file, of `::1` and of `fe80::/10`. */
const hostScope = '10'
const linkScope = '20'

/** Whether the interface of the pod, or `lo`, on which the proxy needs an address, can have no IPv6 address. */
async function isSwitchedOff(netns: NetnsTarget, ifName: string | undefined): Promise<boolean> {
  // Without the file the kernel has no IPv6 at all. That of `all` says nothing: plugins switch single interfaces on.
  if ((await disabledOn(netns, 'lo')) !== '0') return true
  return ifName !== undefined && (await disabledOn(netns, ifName)) === '1'
}

const disabledOn = async (netns: NetnsTarget, link: string): Promise<string | undefined> =>
  (await readFile(netns, `/proc/sys/net/ipv6/conf/${link}/disable_ipv6`))?.trim()
