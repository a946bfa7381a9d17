import type { ProgramText } from '../asm/program-text.ts'
import { appInbound, appOutbound, ztunnelHostIngress } from './host.ts'
import { ztunnelIngress, ztunnelTproxy } from './ztunnel.ts'

/** eBPF programs of a node, by the names of their pins. */
export const programs = {
  app_outbound: appOutbound,
  app_inbound: appInbound,
  ztunnel_host_ingress: ztunnelHostIngress,
  ztunnel_tproxy: ztunnelTproxy,
  ztunnel_ingress: ztunnelIngress,
} as const satisfies Readonly<Record<string, ProgramText>>

/** Name under which an eBPF program is pinned. */
export type ProgramName = keyof typeof programs

/** License of the eBPF programs. None of the kernel helpers that they call requires a GPL license. */
export const LICENSE = 'Apache-2.0'
