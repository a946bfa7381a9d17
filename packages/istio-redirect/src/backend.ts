import type { IptablesBackend } from '@cni/iptables'

/** Back end that writes rules: a kind of iptables, or tables of nftables itself. */
export type Backend = IptablesBackend | 'nftables'

/** Reads the word of Istio's settings and of files on nodes: `nft` or `legacy`. `undefined` for any other value. */
export function iptablesBackend(word: unknown): IptablesBackend | undefined {
  if (word === 'nft') return 'iptables-nft'
  return word === 'legacy' ? 'iptables-legacy' : undefined
}

/** Word for a back end in files on nodes. It stays: plugins and agents of other versions read these files. */
export function backendWord(backend: Backend): 'nft' | 'legacy' | 'nftables' {
  if (backend === 'nftables') return backend
  return backend === 'iptables-nft' ? 'nft' : 'legacy'
}
