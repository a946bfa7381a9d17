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
 * What the blocks agree on: `r6` is the context, `r7` an entry of a map or a socket, `r8` the protocol of the packet; the
 * frame, from above: the header of IPv4, the ports, a key, a tuple of addresses and ports.
 */
export const frame = {
  header: -24,
  ports: -28,
  key: -32,
  tuple: -48,
} as const

/** Of the header. */
const LENGTH = frame.header
const FRAGMENT = frame.header + 6
const PROTOCOL = frame.header + 9
/** Where the addresses of the packet are. */
export const addresses = { source: frame.header + 12, destination: frame.header + 16 } as const
const HEADER_BYTES = 20
const ETHERNET_BYTES = 14

export const TCP = 6
export const UDP = 17

/** The context, where calls do not take it. */
export const begin: Block = [mov('r6', 'r1')]

const frameAddress = (to: Register, offset: number): Block => [mov(to, 'r10'), add(to, offset)]

/** Reads the header of a packet of IPv4 with TCP or UDP; others go to `other`. */
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

/** Reads the ports; a fragment that has none goes to `none`. */
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

/** Looks up an entry by a number or by what is on the stack; `r0` may be null. */
export const lookUp = (name: string, key: number | { readonly at: number }): Block => [
  typeof key === 'number'
    ? store('u32', 'r10', frame.key, key)
    : [load('u32', 'r1', 'r10', key.at), store('u32', 'r10', frame.key, 'r1')],
  map('r1', name),
  frameAddress('r2', frame.key),
  call('map_lookup'),
]

/** A packet whose address is the node's goes to `there`. */
export const ifNode = (address: number, there: string): Block => [
  lookUp('host_ip_info', 0),
  jump('r0', 'eq', 0, 'no_node'),
  // The address of IPv4 is the tail of one of IPv6.
  load('u32', 'r1', 'r0', 12),
  load('u32', 'r2', 'r10', address),
  jump('r1', 'eq', 'r2', there),
  label('no_node'),
]

/** `r7` is ztunnel's entry; where nobody serves the node it goes to `none`. */
export const ztunnel = (none: string): Block => [
  lookUp('ztunnel_info', 0),
  jump('r0', 'eq', 0, none),
  mov('r7', 'r0'),
  // Entries of an array cannot be taken out: one of zeros is none.
  load('u32', 'r1', 'r7', target.ifindex),
  jump('r1', 'eq', 0, none),
]

/** Sends the packet to who is in `r7`, with the address of its link, which would not take it otherwise. */
export const redirect = (tag: number): Block => [
  mov('r1', 'r6'),
  mov('r2', 0),
  mov('r3', 'r7'),
  add('r3', target.mac),
  mov('r4', 6),
  mov('r5', 0),
  call('skb_store_bytes'),
  jump('r0', 'ne', 0, 'not_rewritten'),
  // Not extended with its sign: it is compared with 32 bits of a packet.
  mov32('r1', tag),
  store('u32', 'r6', context.cb4, 'r1'),
  load('u32', 'r1', 'r7', target.ifindex),
  mov('r2', 0),
  call('redirect'),
  exit,
]

/** The packet is none of ours: filters behind this one decide. */
export const pass: Block = [label('pass'), mov('r0', actions.unspec), exit]

/** Where the packet is dropped for each of the reasons, and counted. */
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
