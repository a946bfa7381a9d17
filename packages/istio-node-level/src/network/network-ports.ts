import type { RtnlPort, SysctlPort } from '@cni/netns'

/** Access to the network of a namespace. */
export interface NetworkPorts {
  readonly rtnl: RtnlPort
  readonly settings: SysctlPort
}

/** Access with rollback: `undo` receives the inverse steps that the ports do not register themselves. */
export interface UndoneNetworkPorts extends NetworkPorts {
  undo(step: () => unknown): void
}
