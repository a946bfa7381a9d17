import { type Builders, base, chain } from '@cni/nftables/rules'
import type { CaptureConfig } from '../capture/config.ts'

/**
 * Nftables tables of Istio's native mode with their chains, in the order of creation. Each chain corresponds to the
 * iptables chain of the same name.
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

/** Rule builders of the nftables tables, by table. */
export type Tables = Builders<'inet', typeof tables>

/**
 * Returns `list` if the configuration captures IPv6, else an empty list. Rule builders pass IPv6 rules or values,
 * because the tables contain rules of both families.
 */
export const ofIpv6 = <T>({ ipv6 }: CaptureConfig, list: readonly T[]): readonly T[] => (ipv6 ? list : [])
