import { arrayMap, bytes, hashMap, int, ipv4, mac, struct } from '@cni/ebpf'
import { dropReasons } from '../programs/reasons.ts'

/** Map value: a link, and the MAC address of the link's other end. */
const target = struct({ ifindex: int('u32'), mac, flags: int('u8'), pad: int('u8') })
/** Decoded map value: a link, and the MAC address of the link's other end. */
export type Target = ReturnType<(typeof target)['read']>

/** Map value for open connections: the previous ztunnel's link and namespace ID. */
const earlierTarget = struct({ ifindex: int('u32'), mac, flags: int('u8'), pad: int('u8'), netns: int('u32') })
/** Decoded map value for open connections: the link of the previous ztunnel. */
export type EarlierTarget = ReturnType<(typeof earlierTarget)['read']>

/** Map value for "no ztunnel", because entries of an array map cannot be deleted. */
export const noZtunnel: Target = { ifindex: 0, mac: '00:00:00:00:00:00', flags: 0, pad: 0 }

/** Map value: the node's IPv4 address as an IPv4-mapped IPv6 address. */
const mapped = struct({ prefix: bytes(12), address: ipv4 })

/** Encodes the node's IPv4 address as a value of the map `host_ip_info`. */
export const mappedAddress = (address: string): ReturnType<(typeof mapped)['read']> => ({
  prefix: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff),
  address,
})

const PODS = 1024
/** Size in bytes of a value of the map `pod_uids`. Shorter UIDs of pods are padded with zeros. */
const UID_BYTES = 64

/** eBPF maps of a node by pin name. Maps of Istio 1.18 have Istio's layout. */
export const mapSpecs = {
  /** Map with the log level of Istio's own programs. The programs of this package do not log. */
  log_level: arrayMap({ name: 'log_level', value: int('u32'), maxEntries: 1 }),
  host_ip_info: arrayMap({ name: 'host_ip_info', value: mapped, maxEntries: 2 }),
  ztunnel_info: arrayMap({ name: 'ztunnel_info', value: target, maxEntries: 1 }),
  /** Map with the previous ztunnel while that ztunnel's link exists. */
  ztunnel_before: arrayMap({ name: 'ztunnel_before', value: earlierTarget, maxEntries: 1 }),
  /** Map from the address of a pod in the mesh to the pod's link. */
  app_info: hashMap({ name: 'app_info', key: ipv4, value: target, maxEntries: PODS }),
  /** Map from the address of a pod in the mesh to the pod's UID. */
  pod_uids: hashMap({ name: 'pod_uids', key: ipv4, value: bytes(UID_BYTES), maxEntries: PODS }),
  /** Map with one counter of dropped packets for each reason. */
  drops: arrayMap({ name: 'drops', value: int('u64'), maxEntries: dropReasons.length }),
} as const

/** Encodes a pod's UID as a map value. `undefined` if the UID is too long. */
export function uidBytes(uid: string): Uint8Array | undefined {
  const text = Buffer.from(uid)
  return text.length > UID_BYTES ? undefined : Buffer.concat([text], UID_BYTES)
}

/** Decodes a pod's UID from a map value. */
export const uidOf = (entry: Uint8Array): string => Buffer.from(entry).toString().replace(/\0+$/, '')
