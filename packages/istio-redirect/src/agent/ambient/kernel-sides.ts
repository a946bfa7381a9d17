import type { IptablesBackend } from '@cni/iptables'
import type { KernelSide } from '@cni/istio-node-level'
import type { Netns } from '@cni/netns'
import type { AmbientConfig, NodeLevelConfig } from '../config/ambient-config.ts'
import type { ScopedLog } from '../part/services.ts'

/** What the kernel's side of a node is made of. */
export interface KernelSideOptions {
  readonly config: AmbientConfig
  readonly nodeLevel: NodeLevelConfig
  /** The node's namespace; `undefined`: this one. */
  readonly host: Netns | undefined
  /** The node's address of IPv4. */
  readonly hostIp: string
  /** The root of the node's files: `/host` in a pod. */
  readonly hostRoot: string
  readonly log: ScopedLog
  /** Those of the node before any agent changed them. */
  readonly settings: ReadonlyMap<string, string>
}

/** A kernel's side, with what else the agent has to know of it. */
export interface ChosenKernelSide {
  readonly kernel: KernelSide
  /** It works in the namespaces of pods: `addPod` is given them. */
  readonly needsNetns: boolean
  /** What it writes rules with, for the status. */
  readonly backend?: IptablesBackend | undefined
}

/** Makes one. */
export type MakeKernelSide = (options: KernelSideOptions) => Promise<ChosenKernelSide>
