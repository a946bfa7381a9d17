/** A table of the kernel. */
export type Table = 'filter' | 'mangle' | 'nat' | 'raw' | 'security'
