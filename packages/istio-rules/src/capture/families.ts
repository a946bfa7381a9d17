import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'
import { isLinkLocalMulticast, isLinkLocalUnicast, isLoopback } from '../pod/ip.ts'

/** Which families of a pod are captured. IPv4 rules are always written, also in an IPv6-only pod. */
export interface Families {
  readonly ipv6: boolean
  /** The address that decided; undefined when no address is usable, and then there is nothing to capture for. */
  readonly hostIP?: string
  /** The pod has IPv6 beside IPv4, but is not marked as dual-stack: its IPv6 traffic is not captured. */
  readonly ipv6Ignored?: true
}

/** Addresses by which others reach a pod, as the kernel writes them, without `/bits`. */
export interface UsableAddresses {
  readonly ipv4: readonly string[]
  readonly ipv6: readonly string[]
}

/** Sorts addresses, with or without `/bits`, by their family; loopback and link-local ones do not count. */
export function usableAddresses(addresses: readonly string[]): UsableAddresses {
  const ipv4: string[] = []
  const ipv6: string[] = []
  for (const ip of addresses.map(parse)) {
    if (ip !== undefined) (ip.length === 4 ? ipv4 : ipv6).push(formatAddress(ip))
  }
  return { ipv4, ipv6 }
}

/** Decide from the addresses of a pod. They are looked at as the kernel lists them: IPv4 first, whoever told of them. */
export function familiesOf({ ipv4: [ipv4], ipv6: [ipv6] }: UsableAddresses, dualStack: boolean): Families {
  const hostIP = ipv4 ?? ipv6
  if (hostIP === undefined) return { ipv6: false }
  if (ipv4 === undefined) return { ipv6: true, hostIP }
  if (ipv6 === undefined || dualStack) return { ipv6: ipv6 !== undefined, hostIP }
  return { ipv6: false, hostIP, ipv6Ignored: true }
}

function parse(text: string): Uint8Array | undefined {
  const [address = ''] = text.split(/[/%]/)
  const bytes = parseAddress(address)
  if (bytes === undefined) return undefined
  const ip = unmapAddress(bytes)
  return isLoopback(ip) || isLinkLocalUnicast(ip) || isLinkLocalMulticast(ip) ? undefined : ip
}
