/** Name of an iptables table. */
export type Table = 'filter' | 'mangle' | 'nat' | 'raw' | 'security'
