import { arrayMap, hashMap, int, ipv4, mac, struct } from '@cni/ebpf'

/** Spec of a hash map for tests, with room for three entries. */
export const pods = hashMap({ name: 'pods', key: ipv4, value: struct({ ifindex: int('u32'), mac }), maxEntries: 3 })
/** Spec of an array map for tests, with two values. */
export const counts = arrayMap({ name: 'counts', value: int('u64'), maxEntries: 2 })
