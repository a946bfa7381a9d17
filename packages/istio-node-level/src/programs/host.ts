import { and, jump, label, load, mov, mov32 } from '../asm/instruction.ts'
import { context } from '../asm/layout.ts'
import { program } from '../asm/program.ts'
import {
  addresses,
  begin,
  drops,
  frame,
  ifNode,
  lookUp,
  pass,
  readIpv4,
  readPorts,
  redirect,
  UDP,
  ztunnel,
} from './blocks.ts'
import { CAPTURE_DNS, htons, mapSizes, tags, target } from './constants.ts'
import { ifStillEarlier } from './sockets.ts'

const { app_info, drops: dropCounts, host_ip_info, ztunnel_before, ztunnel_info } = mapSizes

/** Redirects packets from a pod in the mesh to ztunnel. Attached to the pod's link. */
export const appOutbound = program({
  name: 'app_outbound',
  maps: { host_ip_info, ztunnel_before, ztunnel_info, app_info, drops: dropCounts },
  body: [
    begin,
    readIpv4('pass'),
    // Passes packets to the node's own address first: answers to the kubelet's probes need no ztunnel.
    ifNode(addresses.destination, 'pass'),
    ifStillEarlier('capture'),
    ztunnel('no_ztunnel_out'),
    jump('r8', 'ne', UDP, 'capture'),
    readPorts('pass'),
    load('u16', 'r1', 'r10', frame.ports + 2),
    jump('r1', 'ne', htons(53), 'pass'),
    load('u8', 'r1', 'r7', target.flags),
    and('r1', CAPTURE_DNS),
    jump('r1', 'eq', 0, 'pass'),
    label('capture'),
    // Drops packets whose source address does not belong to the pod's link, because ztunnel trusts that address.
    lookUp('app_info', { at: addresses.source }),
    jump('r0', 'eq', 0, 'foreign_source'),
    load('u32', 'r1', 'r0', target.ifindex),
    load('u32', 'r2', 'r6', context.ifindex),
    jump('r1', 'ne', 'r2', 'foreign_source'),
    redirect(tags.outbound),
    pass,
    drops('no_ztunnel_out', 'foreign_source', 'not_rewritten'),
  ],
})

/** Redirects packets for a pod in the mesh to ztunnel. Attached to the pod's link. */
export const appInbound = program({
  name: 'app_inbound',
  maps: { host_ip_info, ztunnel_before, ztunnel_info, drops: dropCounts },
  body: [
    begin,
    load('u32', 'r1', 'r6', context.cb4),
    mov32('r2', tags.fromZtunnel),
    jump('r1', 'eq', 'r2', 'pass'),
    readIpv4('pass'),
    ifNode(addresses.source, 'pass'),
    ifStillEarlier('capture'),
    ztunnel('no_ztunnel_in'),
    jump('r8', 'eq', UDP, 'pass'),
    label('capture'),
    redirect(tags.inbound),
    pass,
    drops('no_ztunnel_in', 'not_rewritten'),
  ],
})

/** Redirects packets from ztunnel directly to the pod. Attached to ztunnel's link. */
export const ztunnelHostIngress = program({
  name: 'zt_host_ingress',
  maps: { app_info, drops: dropCounts },
  body: [
    begin,
    readIpv4('pass'),
    lookUp('app_info', { at: addresses.destination }),
    jump('r0', 'eq', 0, 'pass'),
    mov('r7', 'r0'),
    redirect(tags.fromZtunnel),
    pass,
    drops('not_rewritten'),
  ],
})
