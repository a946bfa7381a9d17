import type { DelegateOptions } from '@cni/invoke'
import { type NetnsTarget, openRtnl, sysctl } from '@cni/netns'

/**
 * Node, IPAM plugins and kernel access of the plugin. Tests pass another node, functions as IPAM plugins, and a fake
 * kernel.
 */
export interface Place {
  readonly node: NetnsTarget
  readonly delegates: DelegateOptions
  readonly openRtnl: typeof openRtnl
  readonly sysctl: typeof sysctl
}

/** Real node and kernel, for the plugin outside of tests. */
export const machine: Place = { node: 'host', delegates: {}, openRtnl, sysctl }
