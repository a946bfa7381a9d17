import type { IpFamily } from '@cni/types/ip'

/** Neighbour (ARP or NDP) entry of a link. An entry as read can be passed to `addNeighbour` and `deleteNeighbour`. */
export interface Neighbour {
  readonly family: IpFamily
  readonly address: string
  readonly linkIndex: number
  readonly mac?: string
  /** State of the entry in the kernel. */
  readonly state:
    | 'none'
    | 'incomplete'
    | 'reachable'
    | 'stale'
    | 'delay'
    | 'probe'
    | 'failed'
    | 'noarp'
    | 'permanent'
    | number
  /** True if the kernel answers ARP or NDP queries for the address. */
  readonly proxy: boolean
  readonly router: boolean
}
