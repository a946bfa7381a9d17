import {
  add,
  and,
  atomicAdd,
  type Block,
  call,
  exit,
  goto,
  jump,
  label,
  load,
  lsh,
  map,
  mov,
  mov32,
  type Register,
  store,
} from '../asm/instruction.ts'
import { actions, context } from '../asm/layout.ts'
import { htons, target } from './constants.ts'
import { type DropReason, dropReasons } from './reasons.ts'

/**
 * Stack offsets that all eBPF programs share. `r6` is the packet context, `r7` a map entry or a socket, and `r8` the IP
 * protocol.
 */
export const frame = {
  header: -24,
  ports: -28,
  key: -32,
  tuple: -48,
} as const

/** Stack offsets of fields of the saved IPv4 header. */
const LENGTH = frame.header
const FRAGMENT = frame.header + 6
const PROTOCOL = frame.header + 9
/** Stack offsets of the packet's source and destination address. */
export const addresses = { source: frame.header + 12, destination: frame.header + 16 } as const
const HEADER_BYTES = 20
const ETHERNET_BYTES = 14

export const TCP = 6
export const UDP = 17

/**
 * eBPF code that starts every program: copies the packet context from `r1` to `r6`, because helper calls overwrite
 * `r1`.
 */
export const begin: Block = [mov('r6', 'r1')]

const frameAddress = (to: Register, offset: number): Block => [mov(to, 'r10'), add(to, offset)]

/** eBPF code that reads the IPv4 header of a TCP or UDP packet. */
export const readIpv4 = (other: string): Block => [
  load('u32', 'r8', 'r6', context.protocol),
  jump('r8', 'ne', htons(0x0800), other),
  mov('r1', 'r6'),
  mov('r2', ETHERNET_BYTES),
  frameAddress('r3', frame.header),
  mov('r4', HEADER_BYTES),
  call('skb_load_bytes'),
  jump('r0', 'ne', 0, other),
  load('u8', 'r8', 'r10', PROTOCOL),
  jump('r8', 'eq', TCP, 'is_ours'),
  jump('r8', 'ne', UDP, other),
  label('is_ours'),
]

/** eBPF code that reads the ports of a packet. Later fragments have no ports. */
export const readPorts = (none: string): Block => [
  load('u16', 'r2', 'r10', FRAGMENT),
  and('r2', htons(0x1fff)),
  jump('r2', 'ne', 0, none),
  load('u8', 'r2', 'r10', LENGTH),
  and('r2', 0x0f),
  lsh('r2', 2),
  add('r2', ETHERNET_BYTES),
  mov('r1', 'r6'),
  frameAddress('r3', frame.ports),
  mov('r4', 4),
  call('skb_load_bytes'),
  jump('r0', 'ne', 0, none),
]

/** eBPF code that looks up a map entry. The result in `r0` may be null. */
export const lookUp = (name: string, key: number | { readonly at: number }): Block => [
  typeof key === 'number'
    ? store('u32', 'r10', frame.key, key)
    : [load('u32', 'r1', 'r10', key.at), store('u32', 'r10', frame.key, 'r1')],
  map('r1', name),
  frameAddress('r2', frame.key),
  call('map_lookup'),
]

/** eBPF code that jumps to `there` if the stack has the node's address at the offset `address`. */
export const ifNode = (address: number, there: string): Block => [
  lookUp('host_ip_info', 0),
  jump('r0', 'eq', 0, 'no_node'),
  // Loads from offset 12: the map has the IPv4 address as the last word of an IPv4-mapped IPv6 address.
  load('u32', 'r1', 'r0', 12),
  load('u32', 'r2', 'r10', address),
  jump('r1', 'eq', 'r2', there),
  label('no_node'),
]

/** eBPF code that loads ztunnel's map entry into `r7`, or jumps to `none`. */
export const ztunnel = (none: string): Block => [
  lookUp('ztunnel_info', 0),
  jump('r0', 'eq', 0, none),
  mov('r7', 'r0'),
  // Link index 0 means no ztunnel, because entries of an array map cannot be deleted.
  load('u32', 'r1', 'r7', target.ifindex),
  jump('r1', 'eq', 0, none),
]

/**
 * eBPF code that redirects the packet to the link in `r7`. Rewrites the destination MAC address, because the receiver
 * drops packets for other MAC addresses.
 */
export const redirect = (tag: number): Block => [
  mov('r1', 'r6'),
  mov('r2', 0),
  mov('r3', 'r7'),
  add('r3', target.mac),
  mov('r4', 6),
  mov('r5', 0),
  call('skb_store_bytes'),
  jump('r0', 'ne', 0, 'not_rewritten'),
  // Writes the tag into the packet's field `cb[4]`. Uses mov32, because bit 31 of a tag may be set.
  mov32('r1', tag),
  store('u32', 'r6', context.cb4, 'r1'),
  load('u32', 'r1', 'r7', target.ifindex),
  mov('r2', 0),
  call('redirect'),
  exit,
]

/** eBPF code at the label `pass`: leaves the decision about the packet to later tc filters. */
export const pass: Block = [label('pass'), mov('r0', actions.unspec), exit]

/** eBPF code with one label for each drop reason: counts the packet under the reason, and drops it. */
export const drops = (...reasons: readonly DropReason[]): Block => [
  reasons.map((reason, index) => [
    label(reason),
    store('u32', 'r10', frame.key, dropReasons.indexOf(reason)),
    index === reasons.length - 1 ? [] : goto('drop'),
  ]),
  label('drop'),
  map('r1', 'drops'),
  frameAddress('r2', frame.key),
  call('map_lookup'),
  jump('r0', 'eq', 0, 'dropped'),
  mov('r1', 1),
  atomicAdd('r0', 0, 'r1'),
  label('dropped'),
  mov('r0', actions.drop),
  exit,
]
