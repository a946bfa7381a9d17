import type { IptablesBackend } from '@cni/iptables'
import type { KernelSide } from '@cni/istio-node-level'
import type { Netns } from '@cni/netns'
import type { AmbientConfig, NodeLevelConfig } from '../config/ambient-config.ts'
import type { ScopedLog } from '../part/services.ts'

/** Dependencies of a kernel side, the kernel part of node-level redirection. */
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
  /** Kernel settings of the node before any agent changed them. */
  readonly settings: ReadonlyMap<string, string>
}

/** Kernel side of node-level redirection, with properties that the agent needs. */
export interface ChosenKernelSide {
  readonly kernel: KernelSide
  /** True if `addPod` needs the namespace of the pod. */
  readonly needsNetns: boolean
  /** iptables variant that writes the rules, for the status of the agent. */
  readonly backend?: IptablesBackend | undefined
}

/** Creates the kernel side of a redirect mode. */
export type MakeKernelSide = (options: KernelSideOptions) => Promise<ChosenKernelSide>
