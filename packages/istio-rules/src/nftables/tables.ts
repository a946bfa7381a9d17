import { type Builders, base, chain } from '@cni/nftables/rules'
import type { CaptureConfig } from '../capture/config.ts'

/** Nftables tables and chains of Istio's native mode, in the order of creation. */
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

/** Functions that create nftables rules, by the table of the rules. */
export type Tables = Builders<'inet', typeof tables>

/** Returns `list` if the configuration captures IPv6, otherwise an empty list. */
export const ofIpv6 = <T>({ ipv6 }: CaptureConfig, list: readonly T[]): readonly T[] => (ipv6 ? list : [])
