import { formatAddress, type IpBytes, parseAddress, unmapAddress } from '@cni/types/ip'
import { isLinkLocalMulticast, isLinkLocalUnicast, isLoopback } from './ip.ts'

/** Which families of a pod are captured. IPv4 rules are always written, also in an IPv6-only pod. */
export interface Families {
  readonly ipv6: boolean
  /** The address that decided; undefined when no address is usable, and then there is nothing to capture for. */
  readonly hostIP?: string
  /** The pod has IPv6 beside IPv4, but is not marked as dual-stack: its IPv6 traffic is not captured. */
  readonly ipv6Ignored?: true
}

/**
 * Decide from the addresses of a pod, with or without `/bits`. Addresses are looked at as the kernel lists them, IPv4
 * first, whatever order a runtime reports; loopback and link-local ones do not count.
 */
export function familiesOf(addresses: readonly string[], dualStack: boolean): Families {
  const usable = addresses.map(parse).filter((ip) => ip !== undefined)
  const [ipv4] = usable.filter((ip) => ip.length === 4)
  const [ipv6] = usable.filter((ip) => ip.length === 16)
  const first = ipv4 ?? ipv6
  if (first === undefined) return { ipv6: false }
  const hostIP = formatAddress(first)
  if (ipv4 === undefined) return { ipv6: true, hostIP }
  if (ipv6 === undefined || dualStack) return { ipv6: ipv6 !== undefined, hostIP }
  return { ipv6: false, hostIP, ipv6Ignored: true }
}

function parse(text: string): IpBytes | undefined {
  const [address = ''] = text.split(/[/%]/)
  const bytes = parseAddress(address)
  if (bytes === undefined) return undefined
  const ip = unmapAddress(bytes)
  return isLoopback(ip) || isLinkLocalUnicast(ip) || isLinkLocalMulticast(ip) ? undefined : ip
}
