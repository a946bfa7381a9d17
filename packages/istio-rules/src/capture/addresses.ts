import type { AddressPair } from '@cni/iptables/rules'
import { isLoopback, parsePrefix } from '../pod/ip.ts'
import type { CaptureConfig } from './config.ts'

/** Source addresses that the proxy uses to forward inbound traffic to the application, by family. */
export const PASSTHROUGH: AddressPair = { ipv4: '127.0.0.6/32', ipv6: '::6/128' }

/** Returns the range of loopback addresses for each address family. */
export function loopback({ loopbackCidr }: CaptureConfig): AddressPair {
  return { ipv4: loopbackCidr, ipv6: '::1/128' }
}

/** True if an included outbound range of either family starts with a loopback address. */
export function includesLoopback({ includeOutboundIPRanges: ranges }: CaptureConfig): boolean {
  return ranges !== '*' && [...ranges.ipv4, ...ranges.ipv6].some(startsInLoopback)
}

function startsInLoopback(cidr: string): boolean {
  const prefix = parsePrefix(cidr)
  return prefix !== undefined && isLoopback(prefix.address)
}
