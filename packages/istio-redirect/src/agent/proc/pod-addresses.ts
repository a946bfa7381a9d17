import { isLinkLocalMulticast, isLinkLocalUnicast, isLoopback } from '@cni/istio-rules'
import { type Netns, openRtnl } from '@cni/netns'
import { parseAddress, unmapAddress } from '@cni/types/ip'

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
  const bytes = parseAddress(text)
  if (bytes === undefined) return undefined
  const ip = unmapAddress(bytes)
  const isUseless =
    isLoopback(ip) || isLinkLocalUnicast(ip) || isLinkLocalMulticast(ip) || ip.every((byte) => byte === 0)
  return isUseless ? undefined : Buffer.from(ip).toString('hex')
}
