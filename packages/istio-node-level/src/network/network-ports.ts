import type { RtnlPort, SysctlPort } from '@cni/netns'

/** Access to rtnetlink and the sysctls of a network namespace. */
export interface NetworkPorts {
  readonly rtnl: RtnlPort
  readonly settings: SysctlPort
}

/**
 * Access to rtnetlink and sysctls with rollback. Changes through `rtnl` and `settings` register their own rollback
 * steps. The method `undo` registers further rollback steps.
 */
export interface UndoneNetworkPorts extends NetworkPorts {
  undo(step: () => unknown): void
}
