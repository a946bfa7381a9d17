import { usableAddresses } from '@cni/istio-rules'
import { type Netns, openRtnl } from '@cni/netns'
import { parseAddress } from '@cni/types/ip'

/**
 * Normalizes addresses and keeps those that identify a pod. Loopback, link-local and unspecified addresses are dropped.
 */
export const tellingAddresses = (given: readonly string[]): string[] => [
  ...new Set(given.map(telling).filter((address) => address !== undefined)),
]

/** Reads the addresses of the interfaces in a namespace, normalized like the addresses of pods. */
export async function addressesIn(target: Netns): Promise<ReadonlySet<string>> {
  using rtnl = await openRtnl(target)
  return new Set(tellingAddresses((await rtnl.getAddresses()).map(({ cidr }) => cidr.split('/')[0] ?? '')))
}

// internal

function telling(text: string): string | undefined {
  // A prefix such as 10.0.0.2/24 is not an address.
  if (parseAddress(text) === undefined) return undefined
  const { ipv4, ipv6 } = usableAddresses([text])
  const [address] = [...ipv4, ...ipv6]
  return address === '0.0.0.0' || address === '::' ? undefined : address
}
