/** Rounds a length up to a multiple of four, because netlink messages and attributes start at such offsets. */
export function align(length: number): number {
  return (length + 3) & ~3
}
