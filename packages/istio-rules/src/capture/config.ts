import type { IpRanges } from '../pod/validators.ts'
import type { Capture } from './capture.ts'
import type { Redirect } from './redirect.ts'

/**
 * Complete configuration of the rules. It adds facts to a {@link Capture} that a namespace or a command line defines,
 * and not a pod. State files contain this configuration.
 */
export interface CaptureConfig extends Capture {
  readonly ipv6: boolean
  readonly proxyPort: number
  readonly inboundCapturePort: number
  readonly inboundTunnelPort: number
  readonly proxyUIDs: readonly (number | string)[]
  readonly proxyGIDs: readonly (number | string)[]
  readonly tproxyMark: number
  readonly tproxyRouteTable: number
  /** Captured DNS queries: none, all, or queries to these servers. */
  readonly dns: 'none' | 'all' | IpRanges
}

/** Configuration without any capture. Its rules only keep the proxy's own traffic from being redirected in a loop. */
export const captureDefaults: CaptureConfig = {
  ipv6: false,
  interceptionMode: 'REDIRECT',
  proxyPort: 15001,
  inboundCapturePort: 15006,
  inboundTunnelPort: 15008,
  proxyUIDs: [1337],
  proxyGIDs: [1337],
  tproxyMark: 1337,
  tproxyRouteTable: 133,
  includeInboundPorts: [],
  excludeInboundPorts: [],
  includeOutboundPorts: [],
  excludeOutboundPorts: [],
  includeOutboundIPRanges: { ipv4: [], ipv6: [] },
  excludeOutboundIPRanges: { ipv4: [], ipv6: [] },
  excludeInterfaces: [],
  rerouteVirtualInterfaces: [],
  ownerGroups: { mode: 'all-except', groups: [] },
  dns: 'none',
  dropInvalid: false,
  loopbackCidr: '127.0.0.1/32',
}

/** Families that rules are written for. */
export const capturedFamilies = ({ ipv6 }: Pick<CaptureConfig, 'ipv6'>): ('ipv4' | 'ipv6')[] =>
  ipv6 ? ['ipv4', 'ipv6'] : ['ipv4']

/** Configuration of a pod's redirection in a namespace with or without IPv6. */
export function captureConfig(redirect: Redirect, { ipv6 }: { readonly ipv6: boolean }): CaptureConfig {
  const { proxyUID, proxyGID, dnsCapture, dualStack: _, ...same } = redirect
  return {
    ...captureDefaults,
    ...same,
    ipv6,
    proxyUIDs: [proxyUID],
    proxyGIDs: [proxyGID],
    // A pod cannot list DNS servers, so all of its queries are captured and resolv.conf is not read.
    dns: dnsCapture ? 'all' : 'none',
  }
}
