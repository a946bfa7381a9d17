import { arrayMap, bytes, hashMap, int, ipv4, mac, struct } from '@cni/ebpf'
import { dropReasons } from '../programs/reasons.ts'

/** Target of packets: the node's end of a link, and the MAC address of the other end. */
const target = struct({ ifindex: int('u32'), mac, flags: int('u8'), pad: int('u8') })
/** Target of packets, as a value of a map. */
export type Target = ReturnType<(typeof target)['read']>

/** Target of open connections to the previous ztunnel, with the node's ID of its namespace (`NETNSID`). */
const earlierTarget = struct({ ifindex: int('u32'), mac, flags: int('u8'), pad: int('u8'), netns: int('u32') })
/** Target of open connections, as a value of a map. */
export type EarlierTarget = ReturnType<(typeof earlierTarget)['read']>

/** Target without a link. Entries of an array map always exist. */
export const nobody: Target = { ifindex: 0, mac: '00:00:00:00:00:00', flags: 0, pad: 0 }

/** IPv4-mapped IPv6 address. */
const mapped = struct({ prefix: bytes(12), address: ipv4 })

/** Value for `host_ip_info` of {@link mapSpecs}. The first entry is for IPv4, the second for IPv6. */
export const mappedAddress = (address: string): ReturnType<(typeof mapped)['read']> => ({
  prefix: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff),
  address,
})

const PODS = 1024
/** Length of a pod's UID, padded with zeros. */
const UID_BYTES = 64

/** Maps of a node, pinned under their names. Maps of Istio 1.18 have the same layout here. */
export const mapSpecs = {
  /** Log level of Istio's programs. Our programs count drops instead, and do not read it. */
  log_level: arrayMap({ name: 'log_level', value: int('u32'), maxEntries: 1 }),
  host_ip_info: arrayMap({ name: 'host_ip_info', value: mapped, maxEntries: 2 }),
  ztunnel_info: arrayMap({ name: 'ztunnel_info', value: target, maxEntries: 1 }),
  /** Previous ztunnel while it exists. It keeps its open connections. */
  ztunnel_before: arrayMap({ name: 'ztunnel_before', value: earlierTarget, maxEntries: 1 }),
  /** Target by the address of a pod in the mesh. */
  app_info: hashMap({ name: 'app_info', key: ipv4, value: target, maxEntries: PODS }),
  /** UID by the address of a pod in the mesh. */
  pod_uids: hashMap({ name: 'pod_uids', key: ipv4, value: bytes(UID_BYTES), maxEntries: PODS }),
  /** Number of dropped packets by reason. */
  drops: arrayMap({ name: 'drops', value: int('u64'), maxEntries: dropReasons.length }),
} as const

/** Encodes a UID. `undefined` if the UID is too long. */
export function uidBytes(uid: string): Uint8Array | undefined {
  const text = Buffer.from(uid)
  return text.length > UID_BYTES ? undefined : Buffer.concat([text], UID_BYTES)
}

/** Decodes a UID. */
export const uidOf = (entry: Uint8Array): string => Buffer.from(entry).toString().replace(/\0+$/, '')
