import type { IpFamily } from '@cni/types/ip'

/** Who has an address on a link. As read it may be passed to the methods that add and delete. */
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
  /** The kernel answers for the address. */
  readonly proxy: boolean
  readonly router: boolean
}
