import type { IpFamily } from '@cni/types/ip'
import type { LinkRef } from '../link/link.ts'
import type { OnLink } from '../link/on-link.ts'
import type { states } from './states.ts'

/** What the kernel thinks of an entry. */
export type NeighbourState = keyof typeof states

/** Who has an address on a link. As read it may be passed to the methods that add and delete. */
export interface Neighbour {
  readonly family: IpFamily
  readonly address: string
  readonly linkIndex: number
  readonly mac?: string
  readonly state: NeighbourState | number
  /** The kernel answers for the address. */
  readonly proxy: boolean
  readonly router: boolean
}

/** An entry to add or delete. */
export interface NewNeighbour extends OnLink {
  readonly address: string
  /** Missing only of an entry that the kernel answers for. */
  readonly mac?: string | undefined
  /** Default: `permanent`. */
  readonly state?: NeighbourState | number | undefined
  readonly proxy?: boolean | undefined
  readonly router?: boolean | undefined
}

/** Which entries to list. */
export interface NeighbourFilter {
  readonly link?: LinkRef
  readonly family?: IpFamily
  /** Those that the kernel answers for; default: those it asks. */
  readonly proxy?: boolean
}
