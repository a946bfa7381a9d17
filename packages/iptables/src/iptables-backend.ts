/** Implementation of iptables in the kernel. Each has its own rules; both see every packet. */
export type IptablesBackend = 'iptables-nft' | 'iptables-legacy'
