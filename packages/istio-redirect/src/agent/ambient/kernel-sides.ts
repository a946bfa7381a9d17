import type { IptablesBackend } from '@cni/iptables'
import type { KernelSide } from '@cni/istio-node-level'
import type { Netns } from '@cni/netns'
import type { AmbientConfig, NodeLevelConfig } from '../config/ambient-config.ts'
import type { ScopedLog } from '../shared/deps.ts'

/** Options for the creation of a `KernelSide`, the part of node-level redirection that changes the kernel. */
export interface KernelSideOptions {
  readonly config: AmbientConfig
  readonly nodeLevel: NodeLevelConfig
  /** Network namespace of the node. `undefined` means the namespace of this process. */
  readonly host: Netns | undefined
  /** IPv4 address of the node. */
  readonly hostIp: string
  /** Root of the node's files, `/host` in a pod of the agent. */
  readonly hostRoot: string
  readonly log: ScopedLog
  /** Map from names of the node's sysctls to their values before any agent changed them. */
  readonly settings: ReadonlyMap<string, string>
}

/** Kernel part of node-level redirection (`KernelSide`) for the redirect mode, with facts about the mode. */
export interface ChosenKernelSide {
  readonly kernel: KernelSide
  /** True if the agent has to pass the pod's network namespace to `addPod`. */
  readonly needsNetns: boolean
  /** iptables variant of the node's rules. The agent reports this variant in its status. */
  readonly backend?: IptablesBackend | undefined
}

/** Function that creates the kernel part of node-level redirection for the redirect mode: by iptables or by eBPF. */
export type MakeKernelSide = (options: KernelSideOptions) => Promise<ChosenKernelSide>
