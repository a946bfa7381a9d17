import type { IpRanges } from '../pod/validators.ts'
import type { Capture } from './capture.ts'
import type { Redirect } from './redirect.ts'

/**
 * Complete configuration of the redirection rules. Extends {@link Capture} by values without a pod annotation, such as
 * ports.
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
  /** Captured DNS queries of the pod: none, all, or only queries to the listed servers. */
  readonly dns: 'none' | 'all' | IpRanges
}

/** Default configuration, which captures no traffic. Its rules only prevent a loop of proxy traffic. */
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

/** Lists the address families of the redirection rules: IPv4, and IPv6 if `ipv6` is true. */
export const capturedFamilies = ({ ipv6 }: Pick<CaptureConfig, 'ipv6'>): ('ipv4' | 'ipv6')[] =>
  ipv6 ? ['ipv4', 'ipv6'] : ['ipv4']

/** Creates the complete configuration of a pod's redirection, for a namespace with or without IPv6. */
export function captureConfig(redirect: Redirect, { ipv6 }: { readonly ipv6: boolean }): CaptureConfig {
  const { proxyUID, proxyGID, dnsCapture, dualStack: _, ...same } = redirect
  return {
    ...captureDefaults,
    ...same,
    ipv6,
    proxyUIDs: [proxyUID],
    proxyGIDs: [proxyGID],
    // Captures all DNS queries or none, because annotations cannot list DNS servers.
    dns: dnsCapture ? 'all' : 'none',
  }
}
