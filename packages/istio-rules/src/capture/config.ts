import type { IpRanges } from '../pod/validators.ts'
import type { Capture } from './capture.ts'
import type { Redirect } from './redirect.ts'

/**
 * Everything the rules depend on: what is captured, and what no pod can say but a namespace or a command line can.
 * That is what state files keep.
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
  /** DNS queries that go to the agent: none, all, or those to these servers. */
  readonly dns: 'none' | 'all' | IpRanges
}

/** What holds where nothing is asked for: only the proxy's own loops are cared for, and nothing is captured. */
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

/** The families that rules are written for. */
export const capturedFamilies = ({ ipv6 }: Pick<CaptureConfig, 'ipv6'>): ('ipv4' | 'ipv6')[] =>
  ipv6 ? ['ipv4', 'ipv6'] : ['ipv4']

/** The effective configuration of a pod's redirection in a namespace with or without IPv6. */
export function captureConfig(redirect: Redirect, { ipv6 }: { readonly ipv6: boolean }): CaptureConfig {
  const { proxyUID, proxyGID, dnsCapture, dualStack: _, ...same } = redirect
  return {
    ...captureDefaults,
    ...same,
    ipv6,
    proxyUIDs: [proxyUID],
    proxyGIDs: [proxyGID],
    // a pod cannot list resolvers: all of its queries are captured, so resolv.conf is never read
    dns: dnsCapture ? 'all' : 'none',
  }
}
