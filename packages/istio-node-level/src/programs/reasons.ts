/** Reasons to drop a packet. Map `drops` has a counter for each one, at the same index. */
export const dropReasons = [
  // app_outbound, app_inbound: no ztunnel serves the node
  'no_ztunnel_out',
  'no_ztunnel_in',
  // app_outbound: the source address does not belong to this interface
  'foreign_source',
  // the destination MAC address could not be written
  'not_rewritten',
  // ztunnel_tproxy, ztunnel_ingress: a fragment has no ports
  'no_ports',
  // ztunnel_tproxy: ztunnel does not listen
  'no_listener',
  // ztunnel_tproxy: the kernel did not accept the socket
  'not_assigned',
] as const

/** One of {@link dropReasons}. */
export type DropReason = (typeof dropReasons)[number]
