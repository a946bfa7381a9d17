/** Reasons for which eBPF programs drop a packet, in the order of the map `drops`. */
export const dropReasons = [
  // Drop by the programs app_outbound and app_inbound: no ztunnel serves the node.
  'no_ztunnel_out',
  'no_ztunnel_in',
  // Drop by the program app_outbound: the source address does not belong to the pod's link.
  'foreign_source',
  // Drop by any redirecting program: the destination MAC address could not be written.
  'not_rewritten',
  // Drop by the programs ztunnel_tproxy and ztunnel_ingress: the packet is a later fragment, which has no ports.
  'no_ports',
  // Drop by the program ztunnel_tproxy: ztunnel does not listen on the port.
  'no_listener',
  // Drop by the program ztunnel_tproxy: the kernel refused to assign the packet to the socket.
  'not_assigned',
] as const

/** Reason to drop a packet, from {@link dropReasons}. */
export type DropReason = (typeof dropReasons)[number]
