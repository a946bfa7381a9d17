import { freshBatch as iptablesBatch } from '@cni/iptables/fresh'
import { type CaptureConfig, capturedFamilies, nativeRules, redirectRules } from '@cni/istio-rules'
import { freshBatch as nativeBatch } from '@cni/nftables/fresh'
import type { Backend } from '../backend.ts'

/** Encodes the rules of a configuration as one netlink batch, for a namespace without rules. */
export function makeBatch(config: CaptureConfig, backend: Exclude<Backend, 'iptables-legacy'>): Uint8Array | undefined {
  if (backend === 'nftables') return nativeBatch(nativeRules(config))
  return iptablesBatch(redirectRules(config), capturedFamilies(config))
}
