import { arrayMap, hashMap, int, ipv4, mac, struct } from '@cni/ebpf'

/** A hash with three entries. */
export const pods = hashMap({ name: 'pods', key: ipv4, value: struct({ ifindex: int('u32'), mac }), maxEntries: 3 })
/** An array with two entries. */
export const counts = arrayMap({ name: 'counts', value: int('u64'), maxEntries: 2 })
