import { usableAddresses } from '@cni/istio-rules'
import { type Netns, openRtnl } from '@cni/netns'
import { parseAddress } from '@cni/types/ip'

/** The addresses that tell a pod from others, in a form to be compared. Loopback, link-local and zero ones do not. */
export const tellingAddresses = (given: readonly string[]): string[] => [
  ...new Set(given.map(telling).filter((address) => address !== undefined)),
]

/** The addresses of the interfaces in a namespace, in the same form. */
export async function addressesIn(target: Netns): Promise<ReadonlySet<string>> {
  using rtnl = await openRtnl(target)
  return new Set(tellingAddresses((await rtnl.getAddresses()).map(({ cidr }) => cidr.split('/')[0] ?? '')))
}

// internal

function telling(text: string): string | undefined {
  // A prefix such as 10.0.0.2/24 is no address.
  if (parseAddress(text) === undefined) return undefined
  const { ipv4, ipv6 } = usableAddresses([text])
  const [address] = [...ipv4, ...ipv6]
  return address === '0.0.0.0' || address === '::' ? undefined : address
}
