import type { DelegateOptions } from '@cni/invoke'
import { type NetnsTarget, openRtnl, sysctl } from '@cni/netns'

/** What the plugin works on. A test gives it another node, IPAM plugins that are functions, a kernel that is none. */
export interface Place {
  readonly node: NetnsTarget
  readonly delegates: DelegateOptions
  readonly openRtnl: typeof openRtnl
  readonly sysctl: typeof sysctl
}

/** The node this runs on. */
export const machine: Place = { node: 'host', delegates: {}, openRtnl, sysctl }
