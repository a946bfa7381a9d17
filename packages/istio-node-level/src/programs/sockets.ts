import type { HelperName } from '../asm/helpers.ts'
import { add, type Block, call, jump, label, load, mov, type Register, store } from '../asm/instruction.ts'
import { LISTEN, socket, TIME_WAIT } from '../asm/layout.ts'
import { addresses, frame, lookUp, readPorts, TCP } from './blocks.ts'
import { earlier, target } from './constants.ts'

/** Stack offsets of the members of `struct bpf_sock_tuple`, the key of socket lookups. */
export const tuple = {
  source: frame.tuple,
  destination: frame.tuple + 4,
  sourcePort: frame.tuple + 8,
  destinationPort: frame.tuple + 10,
} as const
const TUPLE_BYTES = 12
const THIS_NAMESPACE = -1

/** eBPF code that fills the socket tuple with the packet's own addresses and ports. */
export const ownTuple: Block = [
  load('u32', 'r1', 'r10', addresses.source),
  store('u32', 'r10', tuple.source, 'r1'),
  load('u32', 'r1', 'r10', addresses.destination),
  store('u32', 'r10', tuple.destination, 'r1'),
  load('u32', 'r1', 'r10', frame.ports),
  store('u32', 'r10', tuple.sourcePort, 'r1'),
]

/** eBPF code that looks up a socket. The next instruction must test the socket for null. */
export const lookUpSocket = (
  helper: Extract<HelperName, 'skc_lookup_tcp' | 'sk_lookup_udp'>,
  to: Register = 'r7',
  namespace: Block = [mov('r4', THIS_NAMESPACE)],
): Block => [
  mov('r1', 'r6'),
  mov('r2', 'r10'),
  add('r2', frame.tuple),
  mov('r3', TUPLE_BYTES),
  namespace,
  mov('r5', 0),
  call(helper),
  mov(to, 'r0'),
]

export const release = (which: Register = 'r7'): Block => [mov('r1', which), call('sk_release')]

/**
 * eBPF code that jumps to `there` if the previous ztunnel still has the packet's connection. Sockets in TIME_WAIT do
 * not count, so that clients can reconnect to the current ztunnel.
 */
export const ifStillEarlier = (there: string): Block => [
  lookUp('ztunnel_before', 0),
  jump('r0', 'eq', 0, 'not_earlier'),
  mov('r7', 'r0'),
  load('u32', 'r1', 'r7', target.ifindex),
  jump('r1', 'eq', 0, 'not_earlier'),
  jump('r8', 'ne', TCP, 'not_earlier'),
  readPorts('not_earlier'),
  ownTuple,
  lookUpSocket('skc_lookup_tcp', 'r9', [load('u32', 'r4', 'r7', earlier.netns)]),
  jump('r9', 'eq', 0, 'not_earlier'),
  load('u32', 'r1', 'r9', socket.state),
  store('u32', 'r10', frame.key, 'r1'),
  release('r9'),
  load('u32', 'r1', 'r10', frame.key),
  jump('r1', 'eq', LISTEN, 'not_earlier'),
  jump('r1', 'ne', TIME_WAIT, there),
  label('not_earlier'),
]
