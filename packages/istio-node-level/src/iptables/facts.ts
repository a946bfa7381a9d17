import type { TunnelKind } from '../names.ts'

/** Inputs of the plan for the node. Their values differ between nodes and ztunnels. */
export interface NodeFacts {
  /** Address of the node. The kubelet's probes come from this address. */
  readonly hostIp: string
  /** IPv4 address of ztunnel. */
  readonly ztunnelIp: string
  /** Name of the node's veth that leads to ztunnel. */
  readonly ztunnelVeth: string
  readonly tunnel: TunnelKind
  /** UDP port of the tunnels between the node and ztunnel. */
  readonly port: number
  /** True if DNS queries of pods in the mesh go to ztunnel. */
  readonly dnsCapture: boolean
}

/** Inputs of the plan for ztunnel's namespace. Their values differ between nodes and ztunnels. */
export interface ZtunnelFacts {
  readonly ztunnelIp: string
  /** Name of the veth inside ztunnel's network namespace. */
  readonly veth: string
  /** Source address of the node in packets to ztunnel. */
  readonly nodeIp: string
  readonly tunnel: TunnelKind
  /** UDP port of the tunnels between the node and ztunnel. */
  readonly port: number
}
