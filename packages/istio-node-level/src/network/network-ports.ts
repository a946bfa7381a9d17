import type { RtnlPort, SysctlPort } from '@cni/netns'

/** Access to rtnetlink and the sysctls of a network namespace. */
export interface NetworkPorts {
  readonly rtnl: RtnlPort
  readonly settings: SysctlPort
}

/** Access to rtnetlink and sysctls that rolls back all changes after a failure. */
export interface RollbackNetworkPorts extends NetworkPorts {
  undo(step: () => unknown): void
}
