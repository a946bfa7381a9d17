/**
 * Implementation of iptables in the kernel: nf_tables, or the legacy tables. Each has its own rules, and every packet
 * passes the rules of both.
 */
export type IptablesBackend = 'iptables-nft' | 'iptables-legacy'
