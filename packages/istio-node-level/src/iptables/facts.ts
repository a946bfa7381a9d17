import type { TunnelKind } from '../names.ts'

/** What the node's part depends on. */
export interface NodeFacts {
  /** The node's address, which the kubelet's probes come from. */
  readonly hostIp: string
  /** ztunnel's. */
  readonly ztunnelIp: string
  /** The link of the node that leads to ztunnel. */
  readonly ztunnelVeth: string
  readonly tunnel: TunnelKind
  /** UDP port of the tunnels. */
  readonly port: number
  /** Queries of pods in the mesh go to ztunnel. */
  readonly dnsCapture: boolean
}

/** What the part in ztunnel's namespace depends on. */
export interface ZtunnelFacts {
  readonly ztunnelIp: string
  /** The veth of the namespace. */
  readonly veth: string
  /** The address that the node uses towards ztunnel. */
  readonly nodeIp: string
  readonly tunnel: TunnelKind
  /** UDP port of the tunnels. */
  readonly port: number
}
