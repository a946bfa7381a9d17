import type { TunnelKind } from '@cni/istio-node-level'
import type { EnrolmentSettings, PodCapture } from '@cni/istio-rules'

/** Settings of the agent for ambient mode on a node. */
export interface AmbientConfig extends EnrolmentSettings {
  /** Name of the Kubernetes node whose pods are added to the mesh. */
  readonly nodeName: string
  /** Path of the Unix socket on which plugins announce starting pods to the agent. */
  readonly eventSocket: string
  /** Path of the Unix socket to which ztunnel connects. The folder must exist. */
  readonly ztunnelSocket: string
  /** Settings of traffic redirection for all pods. Annotations of a pod may override these settings. */
  readonly capture: Pick<PodCapture, 'ipv6' | 'dnsCapture' | 'probeSource'>
  /** True if the agent removes iptables chains of other Istio versions from pods. */
  readonly reconcile: boolean
  readonly nativeNftables: boolean
  /** iptables variant that the settings force. `''` means the variant that the node uses. */
  readonly forceIptablesBinary: '' | 'legacy' | 'nft'
  /** Path of the file that stores the iptables variant that the agent has chosen. */
  readonly backendFile: string
  /** True if the agent's container has its own network namespace. */
  readonly switchToHost: boolean
  /** True to add policy rules for pods on AWS branch interfaces, if the node's kernel needs them. */
  readonly branchInterfaces: boolean
  /** Duration in milliseconds of one round in which the agent checks the rules of all pods. */
  readonly podRoundMs: number
  /** Settings of node-level redirection. Present if traffic is redirected on the node instead of in pods. */
  readonly nodeLevel?:
    | {
        /** Method of node-level redirection: iptables rules with tunnels, or eBPF programs. */
        readonly mode: 'node-iptables' | 'node-ebpf'
        /** Type of the tunnels between the node and ztunnel. Only the mode `node-iptables` uses tunnels. */
        readonly tunnel: TunnelKind
        /**
         * Path of the file from which plugins read the redirect mode. The file also shows if a ztunnel serves the node.
         */
        readonly configFile: string
        /** IPv4 address of the node, used if the agent cannot read the Node object from the API server. */
        readonly hostIp: string | undefined
      }
    | undefined
}

/** Settings of node-level redirection, as in Istio 1.19. */
export type NodeLevelConfig = NonNullable<AmbientConfig['nodeLevel']>
