/**
 * eBPF without a compiler and without a native addon: typed maps, pins, and programs on links.
 *
 * @example
 * ```ts
 * import { attachFilter, ebpf } from '@cni/ebpf'
 * import { netns, openRtnl } from '@cni/netns'
 *
 * using program = ebpf().openProgram('/sys/fs/bpf/my-agent/count')
 * using pod = netns.open('/run/netns/cni-7f3a')
 * using rtnl = await openRtnl(pod)
 * export const { attached } = await attachFilter(rtnl, { link: 'eth0', direction: 'egress', program })
 * ```
 *
 * @module
 */

export { attachFilter, detachFilter, findFilter } from './attach.ts'
export { bytes, type Codec, int, ipv4, ipv6, mac, struct } from './codec.ts'
export { ebpf } from './ebpf.ts'
export { EbpfError, isEbpfError } from './errors.ts'
export { supportsFilters } from './features.ts'
export { arrayMap, hashMap, queueMap } from './maps.ts'
export type { Ebpf, MapSpec, OpenMap, Pins, Program } from './types.ts'
