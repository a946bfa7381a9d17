import type { TunnelKind } from '@cni/istio-node-level'

/** How the node level of Istio 1.19 is done. */
export interface NodeLevelConfig {
  /** `node-iptables`: by marks, policy routes and tunnels. `node-ebpf`: by programs on the links of pods. */
  readonly mode: 'node-iptables' | 'node-ebpf'
  /** What the tunnels to ztunnel are, with `node-iptables`. */
  readonly tunnel: TunnelKind
  /** Where plugins read whether there is a ztunnel, and which mode it is. */
  readonly configFile: string
  /** The node's address of IPv4, for where its Node cannot be read. */
  readonly hostIp: string | undefined
}
