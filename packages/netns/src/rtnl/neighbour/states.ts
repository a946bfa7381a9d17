/** Kernel numbers of the states of a neighbour (ARP, NDP) entry. */
export const states = {
  none: 0,
  incomplete: 0x01,
  reachable: 0x02,
  stale: 0x04,
  delay: 0x08,
  probe: 0x10,
  failed: 0x20,
  noarp: 0x40,
  permanent: 0x80,
} as const
