import { freshBatch as iptablesBatch } from '@cni/iptables/fresh'
import { type CaptureConfig, capturedFamilies, nativeRules, redirectRules } from '@cni/istio-rules'
import { freshBatch as nativeBatch } from '@cni/nftables/fresh'

/** The back ends whose rules netlink can write: iptables by nf_tables, and tables of our own. */
export type BatchBackend = 'nft' | 'nftables'

/**
 * Encodes the rules of a configuration as one netlink batch for a namespace that has none. `undefined` if netlink cannot
 * express one of them.
 */
export function makeBatch(config: CaptureConfig, backend: BatchBackend): Uint8Array | undefined {
  if (backend === 'nftables') return nativeBatch(nativeRules(config))
  return iptablesBatch(redirectRules(config), capturedFamilies(config))
}
