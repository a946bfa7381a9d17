import type { RtnlPort, SysctlPort } from '@cni/netns'

/** What reaches the network of a namespace. */
export interface NetworkPorts {
  readonly rtnl: RtnlPort
  readonly settings: SysctlPort
}

/** The same, and where inverse steps go that they do not register themselves. */
export interface UndoneNetworkPorts extends NetworkPorts {
  undo(step: () => unknown): void
}
