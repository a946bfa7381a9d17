import type { DelegateOptions } from '@cni/invoke'
import { type NetnsTarget, openRtnl, sysctl } from '@cni/netns'

/** Environment of the plugin. Tests pass another node, functions as IPAM plugins, and a fake kernel. */
export interface Place {
  readonly node: NetnsTarget
  readonly delegates: DelegateOptions
  readonly openRtnl: typeof openRtnl
  readonly sysctl: typeof sysctl
}

/** The node that this program runs on. */
export const machine: Place = { node: 'host', delegates: {}, openRtnl, sysctl }
