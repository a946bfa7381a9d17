import type { ApplyReport, IptablesBackend } from '@cni/iptables'

/** Back end that writes the redirection rules: one of the iptables back ends, or nftables directly. */
export type Backend = IptablesBackend | 'nftables'

/** Result of writing rules to a namespace. `replace` means that whole nftables tables were replaced. */
export type ApplyPlan = ApplyReport['plan'] | 'replace'

/** Parses an iptables back end in Istio's spelling: `nft` or `legacy`. */
export function iptablesBackend(word: unknown): IptablesBackend | undefined {
  if (word === 'nft') return 'iptables-nft'
  return word === 'legacy' ? 'iptables-legacy' : undefined
}

/** Returns the name of a back end in files on nodes. The name must not change between versions. */
export function backendWord(backend: Backend): 'nft' | 'legacy' | 'nftables' {
  if (backend === 'nftables') return backend
  return backend === 'iptables-nft' ? 'nft' : 'legacy'
}
