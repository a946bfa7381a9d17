import type { RtnlPort, SysctlPort } from '@cni/netns'

/** Access to rtnetlink and the sysctls of a network namespace. */
export interface NetworkPorts {
  readonly rtnl: RtnlPort
  readonly settings: SysctlPort
}

/**
 * Access to rtnetlink and sysctls with rollback. The member `undo` registers rollback steps that `rtnl` and `settings`
 * do not register themselves.
 */
export interface UndoneNetworkPorts extends NetworkPorts {
  undo(step: () => unknown): void
}
