import type { TunnelKind } from '../names.ts'

/** Values that differ between nodes and ztunnels, from which the plan for the node is built. */
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

/** Values that differ between nodes and ztunnels, from which the plan for ztunnel's namespace is built. */
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
