import { arrayMap, hashMap, ipv4, mac, struct, u32, u64 } from '@cni/ebpf'

/** A hash of three entries. */
export const pods = hashMap({ name: 'pods', key: ipv4, value: struct({ ifindex: u32, mac }), maxEntries: 3 })
/** An array of two. */
export const counts = arrayMap({ name: 'counts', value: u64, maxEntries: 2 })
