import { arrayMap, bytes, hashMap, int, ipv4, mac, struct } from '@cni/ebpf'
import { dropReasons } from '../programs/reasons.ts'

/** Who a packet is sent to: the node's end of a link, and the address of the other end. */
const target = struct({ ifindex: int('u32'), mac, flags: int('u8'), pad: int('u8') })
/** One of them. */
export type Target = ReturnType<(typeof target)['read']>

/** The same of a ztunnel whose connections are still open, with the node's number for its namespace (`NETNSID`). */
const earlierTarget = struct({ ifindex: int('u32'), mac, flags: int('u8'), pad: int('u8'), netns: int('u32') })
/** One of them. */
export type EarlierTarget = ReturnType<(typeof earlierTarget)['read']>

/** Nobody: entries of an array are always there. */
export const nobody: Target = { ifindex: 0, mac: '00:00:00:00:00:00', flags: 0, pad: 0 }

/** An address of IPv4 as one of IPv6. */
const mapped = struct({ prefix: bytes(12), address: ipv4 })

/** The address as an entry of {@link mapSpecs}' `host_ip_info`; it is the first one, the second is for IPv6. */
export const mappedAddress = (address: string): ReturnType<(typeof mapped)['read']> => ({
  prefix: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff),
  address,
})

const PODS = 1024
/** The UID of a pod, with zeros behind it. */
const UID_BYTES = 64

/** The maps of a node, pinned under their names; those that Istio 1.18 had as it had them. */
export const mapSpecs = {
  /** What its programs logged; ours count, and do not read it. */
  log_level: arrayMap({ name: 'log_level', value: int('u32'), maxEntries: 1 }),
  host_ip_info: arrayMap({ name: 'host_ip_info', value: mapped, maxEntries: 2 }),
  ztunnel_info: arrayMap({ name: 'ztunnel_info', value: target, maxEntries: 1 }),
  /** Who served before, as long as it is there: its connections stay with it. */
  ztunnel_before: arrayMap({ name: 'ztunnel_before', value: earlierTarget, maxEntries: 1 }),
  /** By the addresses of pods in the mesh. */
  app_info: hashMap({ name: 'app_info', key: ipv4, value: target, maxEntries: PODS }),
  /** Whose they are. */
  pod_uids: hashMap({ name: 'pod_uids', key: ipv4, value: bytes(UID_BYTES), maxEntries: PODS }),
  /** How many packets were dropped, for each of the reasons. */
  drops: arrayMap({ name: 'drops', value: int('u64'), maxEntries: dropReasons.length }),
} as const

/** A UID as an entry; `undefined`: it is too long. */
export function uidBytes(uid: string): Uint8Array | undefined {
  const text = Buffer.from(uid)
  return text.length > UID_BYTES ? undefined : Buffer.concat([text], UID_BYTES)
}

/** The UID of an entry. */
export const uidOf = (entry: Uint8Array): string => Buffer.from(entry).toString().replace(/\0+$/, '')
