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
