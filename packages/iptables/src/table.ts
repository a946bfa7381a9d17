/** Table of iptables. */
export type Table = 'filter' | 'mangle' | 'nat' | 'raw' | 'security'
