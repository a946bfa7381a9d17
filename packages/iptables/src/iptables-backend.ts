/**
 * Implementation of iptables in the kernel. Each implementation has its own rules. The rules of both see every packet.
 */
export type IptablesBackend = 'iptables-nft' | 'iptables-legacy'
