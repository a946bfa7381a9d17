import type { DelegateOptions } from '@cni/invoke'
import { type NetnsTarget, openRtnl, sysctl } from '@cni/netns'

/** The plugin's access to the node, IPAM plugins and kernel. Tests pass replacements. */
export interface Place {
  readonly node: NetnsTarget
  readonly delegates: DelegateOptions
  readonly openRtnl: typeof openRtnl
  readonly sysctl: typeof sysctl
}

/** Access to the real node and kernel, for the plugin outside of tests. */
export const machine: Place = { node: 'host', delegates: {}, openRtnl, sysctl }
