import { usableAddresses } from '@cni/istio-rules'
import { type Netns, openRtnl } from '@cni/netns'
import { parseAddress } from '@cni/types/ip'

/**
 * Normalizes the addresses of a pod, and drops loopback, link-local and unspecified addresses, which do not identify
 * the pod.
 */
export const identifyingAddresses = (given: readonly string[]): string[] => [
  ...new Set(given.map(identifying).filter((address) => address !== undefined)),
]

/** Reads the IP addresses of a network namespace, in the notation of pod addresses. */
export async function addressesIn(target: Netns): Promise<ReadonlySet<string>> {
  using rtnl = await openRtnl(target)
  return new Set(identifyingAddresses((await rtnl.getAddresses()).map(({ cidr }) => cidr.split('/')[0] ?? '')))
}

// internal

function identifying(text: string): string | undefined {
  // Drops a text that is not an IP address, such as 10.0.0.2/24 with its prefix length.
  if (parseAddress(text) === undefined) return undefined
  const { ipv4, ipv6 } = usableAddresses([text])
  const [address] = [...ipv4, ...ipv6]
  return address === '0.0.0.0' || address === '::' ? undefined : address
}
