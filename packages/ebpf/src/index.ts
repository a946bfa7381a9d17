/**
 * eBPF without a compiler and without an addon: maps with typed keys and values, pins, programs from bytes or from
 * somebody else's pin, on links beside the filters of others.
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

export {
  type Attached,
  type AttachedFilter,
  attachFilter,
  type DetachFilter,
  detachFilter,
  type FilterToAttach,
  findFilter,
} from './attach.ts'
export {
  be16,
  be32,
  bytes,
  type Codec,
  ipv4,
  ipv6,
  mac,
  type StructOf,
  struct,
  u8,
  u16,
  u32,
  u64,
  type ValueOf,
} from './codec.ts'
export { type Ebpf, ebpf, type Pins } from './ebpf.ts'
export { EbpfError, type EbpfErrorCode, type EbpfErrorOptions, isEbpfError } from './errors.ts'
export { type Features, supportsFilters } from './features.ts'
export {
  type ArrayMap,
  arrayMap,
  type HashMap,
  hashMap,
  type MapSpec,
  type OpenMap,
  type QueueMap,
  queueMap,
} from './maps.ts'
export type { PinsOptions } from './pins.ts'
export type { Program, ProgramSource } from './program.ts'
export type { MapKind, MapShape, RawMap, SetMode } from './raw-map.ts'
export type { TestRun, TestRunResult, TrafficAction } from './test-run.ts'
