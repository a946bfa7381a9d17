import { formatAddress, parseAddress, unmapAddress } from '@cni/types/ip'
import { isLinkLocalMulticast, isLinkLocalUnicast, isLoopback } from '../pod/ip.ts'

/**
 * Groups a pod's addresses by family, in the kernel's notation. Skips invalid, loopback and link-local addresses.
 *
 * @param addresses - with or without `/bits`
 */
export function usableAddresses(addresses: readonly string[]): {
  readonly ipv4: readonly string[]
  readonly ipv6: readonly string[]
} {
  const ipv4: string[] = []
  const ipv6: string[] = []
  for (const ip of addresses.map(parse)) {
    if (ip !== undefined) (ip.length === 4 ? ipv4 : ipv6).push(formatAddress(ip))
  }
  return { ipv4, ipv6 }
}

/**
 * Chooses the address families to capture from a pod's usable addresses. Every pod gets IPv4 rules, even an IPv6-only
 * pod.
 */
export function familiesOf(
  { ipv4: [ipv4], ipv6: [ipv6] }: ReturnType<typeof usableAddresses>,
  dualStack: boolean,
): {
  readonly ipv6: boolean
  /** First usable address of the pod. `undefined` means that the plugin cannot capture the pod's traffic. */
  readonly hostIP?: string
  /** True if only IPv4 is captured because the pod is not marked as dual-stack. */
  readonly ipv6Ignored?: true
} {
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
