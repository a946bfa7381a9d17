import type { RtnlPort, SysctlPort } from '@cni/netns'

/** Access to rtnetlink and the sysctls of a network namespace. */
export interface NetworkPorts {
  readonly rtnl: RtnlPort
  readonly settings: SysctlPort
}

/**
 * Access to rtnetlink and sysctls. A failure rolls back all changes that were made through `rtnl` and `settings`. The
 * method `undo` registers a rollback step for any other change.
 */
export interface UndoneNetworkPorts extends NetworkPorts {
  undo(step: () => unknown): void
}
