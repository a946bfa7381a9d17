import type { IpFamily } from '@cni/types/ip'

/**
 * Neighbour (ARP or NDP) entry of a link. A `Neighbour` from `getNeighbours` can be passed to `addNeighbour` and
 * `deleteNeighbour`.
 */
export interface Neighbour {
  readonly family: IpFamily
  readonly address: string
  readonly linkIndex: number
  readonly mac?: string
  /** State of the neighbour entry in the kernel, such as `reachable`. */
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
  /** True if the entry is a proxy entry: the kernel answers ARP or NDP queries for the address. */
  readonly proxy: boolean
  readonly router: boolean
}
