import type { TunnelKind } from '@cni/istio-node-level'
import type { EnrolmentSettings, PodCapture } from '@cni/istio-rules'

/** How a node takes part in an ambient mesh. */
export interface AmbientConfig extends EnrolmentSettings {
  /** Whose pods are enrolled. */
  readonly nodeName: string
  /** Where plugins hand pods over. */
  readonly eventSocket: string
  /** Where ztunnel connects; its folder is there already. */
  readonly ztunnelSocket: string
  /** What the rules of a pod depend on, as far as it says nothing itself. */
  readonly capture: Pick<PodCapture, 'ipv6' | 'dnsCapture' | 'probeSource'>
  /** Chains of Istio's that are none of these rules are taken out of pods, too. */
  readonly reconcile: boolean
  readonly nativeNftables: boolean
  /** `''`: what the node uses. */
  readonly forceIptablesBinary: '' | 'legacy' | 'nft'
  /** Where the choice of a back end is remembered. */
  readonly backendFile: string
  /** The node's network is that of its first process, and not that of this one. */
  readonly switchToHost: boolean
  /** Routes for pods on branch interfaces of AWS, where the node's kernel needs them. */
  readonly branchInterfaces: boolean
  /** How long a round through the rules of all pods takes, in milliseconds. */
  readonly podRoundMs: number
  /** Traffic is redirected on the node, and not in pods. */
  readonly nodeLevel?:
    | {
        /** `node-iptables`: by marks, policy routes and tunnels. `node-ebpf`: by programs on the links of pods. */
        readonly mode: 'node-iptables' | 'node-ebpf'
        /** Kind of the tunnels to ztunnel, with `node-iptables`. */
        readonly tunnel: TunnelKind
        /** File in which plugins read whether there is a ztunnel, and which mode it is. */
        readonly configFile: string
        /** The node's address of IPv4, for where its Node cannot be read. */
        readonly hostIp: string | undefined
      }
    | undefined
}

/** How the node level of Istio 1.19 is done. */
export type NodeLevelConfig = NonNullable<AmbientConfig['nodeLevel']>
