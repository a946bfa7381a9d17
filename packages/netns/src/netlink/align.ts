/** Rounds a length up to a multiple of four. Netlink messages and attributes start at multiples of four. */
export function align(length: number): number {
  return (length + 3) & ~3
}
