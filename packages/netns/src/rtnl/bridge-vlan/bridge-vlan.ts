import type { LinkRef } from '../link/link.ts'
import type { OnLink } from '../link/on-link.ts'

/** A VLAN of a port of a bridge, or of the bridge itself. */
export interface BridgeVlan {
  readonly linkIndex: number
  /** 1 to 4094. */
  readonly vid: number
  /** Untagged frames that come in belong to it. */
  readonly pvid: boolean
  /** Its frames go out untagged. */
  readonly untagged: boolean
}

/** A VLAN to add or delete, or several that follow each other. */
export interface NewBridgeVlan extends OnLink {
  readonly vid: number
  /** The last one of several. Default: `vid`. */
  readonly lastVid?: number | undefined
  /** Default: false. */
  readonly pvid?: boolean | undefined
  /** Default: false. */
  readonly untagged?: boolean | undefined
}

/** Which VLANs to list. */
export interface BridgeVlanFilter {
  readonly link?: LinkRef
}
