import type { TunnelKind } from '../names.ts'

/** Inputs of the node's plan. */
export interface NodeFacts {
  /** Address of the node. The kubelet's probes come from this address. */
  readonly hostIp: string
  /** IPv4 address of ztunnel. */
  readonly ztunnelIp: string
  /** Link of the node that leads to ztunnel. */
  readonly ztunnelVeth: string
  readonly tunnel: TunnelKind
  /** UDP port of the tunnels. */
  readonly port: number
  /** True if DNS queries of pods in the mesh go to ztunnel. */
  readonly dnsCapture: boolean
}

/** Inputs of the plan for ztunnel's namespace. */
export interface ZtunnelFacts {
  readonly ztunnelIp: string
  /** Name of the veth in the namespace. */
  readonly veth: string
  /** Source address of the node towards ztunnel. */
  readonly nodeIp: string
  readonly tunnel: TunnelKind
  /** UDP port of the tunnels. */
  readonly port: number
}
