import type { IptablesBackend } from '@cni/iptables'

/** Back end that writes the rules: one of the iptables back ends, or nftables directly. */
export type Backend = IptablesBackend | 'nftables'

/**
 * Reads `nft` or `legacy`, as Istio's settings and files on nodes spell it. Returns `undefined` for any other value.
 */
export function iptablesBackend(word: unknown): IptablesBackend | undefined {
  if (word === 'nft') return 'iptables-nft'
  return word === 'legacy' ? 'iptables-legacy' : undefined
}

/** Name of a back end in files on nodes. It must not change: plugins and agents of other versions read these files. */
export function backendWord(backend: Backend): 'nft' | 'legacy' | 'nftables' {
  if (backend === 'nftables') return backend
  return backend === 'iptables-nft' ? 'nft' : 'legacy'
}
