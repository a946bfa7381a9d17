import { type Block, call, exit, goto, jump, label, load, mov, store } from '../asm/instruction.ts'
import { actions, context, LISTEN, socket } from '../asm/layout.ts'
import { program } from '../asm/program.ts'
import { begin, drops, frame, pass, readIpv4, readPorts, UDP } from './blocks.ts'
import { htons, LOOPBACK, mapSizes, packetMarks, tags, ztunnelPorts } from './constants.ts'
import { lookUpSocket, ownTuple, release, tuple } from './sockets.ts'

const { drops: dropCounts } = mapSizes

/** eBPF code that reads the tag of a packet into `r9`. */
const onlyTagged: Block = [
  load('u32', 'r9', 'r6', context.cb4),
  jump('r9', 'eq', tags.outbound, 'tagged'),
  jump('r9', 'ne', tags.inbound, 'pass'),
  label('tagged'),
]

/** Assigns packets for other hosts to ztunnel's sockets. `skc_lookup_tcp` also finds incomplete handshakes. */
export const ztunnelTproxy = program({
  name: 'ztunnel_tproxy',
  maps: { drops: dropCounts },
  body: [
    begin,
    onlyTagged,
    readIpv4('pass'),
    readPorts('no_ports'),
    ownTuple,
    jump('r8', 'eq', UDP, 'query'),
    lookUpSocket('skc_lookup_tcp'),
    jump('r7', 'eq', 0, 'listener'),
    load('u32', 'r1', 'r7', socket.state),
    jump('r1', 'ne', LISTEN, 'assign'),
    // Releases the listener on the packet's own port. The next lookup finds the listener on ztunnel's port.
    release(),
    label('listener'),
    store('u32', 'r10', tuple.destination, LOOPBACK),
    load('u16', 'r2', 'r10', frame.ports + 2),
    mov('r1', htons(ztunnelPorts.outbound)),
    jump('r9', 'eq', tags.outbound, 'port'),
    mov('r1', htons(ztunnelPorts.hbone)),
    jump('r2', 'eq', htons(ztunnelPorts.hbone), 'port'),
    mov('r1', htons(ztunnelPorts.plaintext)),
    label('port'),
    store('u16', 'r10', tuple.destinationPort, 'r1'),
    lookUpSocket('skc_lookup_tcp'),
    jump('r7', 'eq', 0, 'no_listener'),
    load('u32', 'r1', 'r7', socket.state),
    jump('r1', 'eq', LISTEN, 'assign'),
    release(),
    goto('no_listener'),

    label('query'),
    jump('r9', 'ne', tags.outbound, 'pass'),
    load('u16', 'r1', 'r10', frame.ports + 2),
    jump('r1', 'ne', htons(53), 'pass'),
    store('u32', 'r10', tuple.destination, LOOPBACK),
    store('u16', 'r10', tuple.destinationPort, htons(ztunnelPorts.dns)),
    lookUpSocket('sk_lookup_udp'),
    jump('r7', 'eq', 0, 'no_listener'),

    label('assign'),
    mov('r1', 'r6'),
    mov('r2', 'r7'),
    mov('r3', 0),
    call('sk_assign'),
    mov('r8', 'r0'),
    release(),
    jump('r8', 'ne', 0, 'not_assigned'),
    mov('r1', packetMarks.assigned),
    store('u32', 'r6', context.mark, 'r1'),
    mov('r0', actions.ok),
    exit,

    pass,
    drops('no_ports', 'no_listener', 'not_assigned'),
  ],
})

/**
 * Program in ztunnel's namespace for kernels without `sk_assign`: marks packets, so that TPROXY rules find the socket.
 */
export const ztunnelIngress = program({
  name: 'ztunnel_ingress',
  maps: { drops: dropCounts },
  body: [
    begin,
    onlyTagged,
    readIpv4('pass'),
    jump('r8', 'eq', UDP, 'pass'),
    readPorts('no_ports'),
    ownTuple,
    lookUpSocket('skc_lookup_tcp'),
    jump('r7', 'eq', 0, 'mark'),
    load('u32', 'r8', 'r7', socket.state),
    load('u32', 'r5', 'r7', socket.sourcePort),
    store('u32', 'r10', frame.key, 'r5'),
    release(),
    jump('r8', 'eq', LISTEN, 'mark'),
    // Established connections need no mark, except inbound connections for the TPROXY rules.
    jump('r9', 'ne', tags.inbound, 'pass'),
    load('u32', 'r1', 'r10', frame.key),
    jump('r1', 'eq', ztunnelPorts.plaintext, 'mark'),
    jump('r1', 'ne', ztunnelPorts.hbone, 'pass'),
    label('mark'),
    mov('r1', packetMarks.outbound),
    jump('r9', 'eq', tags.outbound, 'set'),
    mov('r1', packetMarks.inbound),
    label('set'),
    store('u32', 'r6', context.mark, 'r1'),
    mov('r0', actions.ok),
    exit,
    pass,
    drops('no_ports'),
  ],
})
