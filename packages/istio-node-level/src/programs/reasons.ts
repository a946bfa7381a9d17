/** Why a packet was dropped; each is counted, at its place in map `drops`. */
export const dropReasons = [
  // app_outbound, app_inbound: nobody serves the node
  'no_ztunnel_out',
  'no_ztunnel_in',
  // app_outbound: the source address is not one of this interface
  'foreign_source',
  // the address of the receiver could not be written into it
  'not_rewritten',
  // ztunnel_tproxy, ztunnel_ingress: a fragment has no ports
  'no_ports',
  // ztunnel_tproxy: ztunnel does not listen
  'no_listener',
  // ztunnel_tproxy: the kernel did not take the socket
  'not_assigned',
] as const

/** One of them. */
export type DropReason = (typeof dropReasons)[number]
