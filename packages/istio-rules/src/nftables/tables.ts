import { type Builders, base, chain } from '@cni/nftables/rules'
import type { CaptureConfig } from '../capture/config.ts'

/**
 * Tables of Istio's native mode with their chains, in the order of their creation. The chains correspond to the
 * iptables chains of the same name.
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

/** Builders of the rules, by table. */
export type Tables = Builders<'inet', typeof tables>

/** Elements for IPv6: the list if IPv6 is captured, else an empty list. One table has the rules of both families. */
export const ofIpv6 = <T>({ ipv6 }: CaptureConfig, list: readonly T[]): readonly T[] => (ipv6 ? list : [])
