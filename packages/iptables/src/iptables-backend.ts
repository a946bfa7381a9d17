/** Implementation of iptables in the kernel. Every packet passes the rules of both implementations. */
export type IptablesBackend = 'iptables-nft' | 'iptables-legacy'
