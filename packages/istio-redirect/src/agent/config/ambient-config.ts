import type { TunnelKind } from '@cni/istio-node-level'
import type { EnrolmentSettings, PodCapture } from '@cni/istio-rules'

/** Settings of ambient mode on a node. */
export interface AmbientConfig extends EnrolmentSettings {
  /** Node whose pods are enrolled. */
  readonly nodeName: string
  /** Unix socket on which plugins hand pods over. */
  readonly eventSocket: string
  /** Unix socket to which ztunnel connects. Its folder must exist. */
  readonly ztunnelSocket: string
  /** Capture settings of all pods. Annotations of a pod may override them. */
  readonly capture: Pick<PodCapture, 'ipv6' | 'dnsCapture' | 'probeSource'>
  /** True if the agent removes chains of other Istio versions from pods. */
  readonly reconcile: boolean
  readonly nativeNftables: boolean
  /** iptables variant that the settings force. `''` means the variant that the node uses. */
  readonly forceIptablesBinary: '' | 'legacy' | 'nft'
  /** File that stores the iptables variant that the agent has chosen. */
  readonly backendFile: string
  /**
   * True if the agent has a network namespace of its own. The agent then finds the node's namespace through the node's
   * first process.
   */
  readonly switchToHost: boolean
  /** True to add routes for pods on AWS branch interfaces, where the node's kernel needs them. */
  readonly branchInterfaces: boolean
  /** Duration in milliseconds of a round in which the agent checks the rules of all pods. */
  readonly podRoundMs: number
  /** Present if traffic is redirected on the node instead of in pods. */
  readonly nodeLevel?:
    | {
        /**
         * `node-iptables` uses marks, policy routes and tunnels. `node-ebpf` uses eBPF programs on the links of pods.
         */
        readonly mode: 'node-iptables' | 'node-ebpf'
        /** Kind of the tunnels to ztunnel. Only `node-iptables` has tunnels. */
        readonly tunnel: TunnelKind
        /** File from which plugins read the redirect mode, and whether a ztunnel serves the node. */
        readonly configFile: string
        /** IPv4 address of the node, used if its Node object cannot be read. */
        readonly hostIp: string | undefined
      }
    | undefined
}

/** Settings of node-level redirection, as in Istio 1.19. */
export type NodeLevelConfig = NonNullable<AmbientConfig['nodeLevel']>
