import { type Builders, base, chain } from '@cni/nftables/rules'
import type { CaptureConfig } from '../capture/config.ts'

/**
 * The tables of Istio's native mode with their chains, in the order in which they are made. The chains do what their
 * namesakes of iptables do.
 */
export const tables = {
  'istio-proxy-nat': {
    prerouting: base('nat', 'prerouting', -100),
    output: base('nat', 'output', -100),
    'istio-inbound': chain,
    'istio-redirect': chain,
    'istio-in-redirect': chain,
    'istio-output': chain,
    'istio-output-dns': chain,
  },
  'istio-proxy-mangle': {
    prerouting: base('filter', 'prerouting', -150),
    output: base('route', 'output', -150),
    'istio-divert': chain,
    'istio-tproxy': chain,
    'istio-inbound': chain,
    'istio-drop': chain,
  },
  'istio-proxy-raw': {
    prerouting: base('filter', 'prerouting', -300),
    output: base('filter', 'output', -300),
    'istio-inbound': chain,
    'istio-output-dns': chain,
  },
} as const

/** The builders that the concerns write their rules with. */
export type Tables = Builders<'inet', typeof tables>

/** What is for IPv6 only, where it is captured. One table has the rules of both families; those of IPv4 are always written. */
export const ofIpv6 = <T>({ ipv6 }: CaptureConfig, list: readonly T[]): readonly T[] => (ipv6 ? list : [])
