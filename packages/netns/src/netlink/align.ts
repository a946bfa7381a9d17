/** The next multiple of four: where a message or an attribute begins. */
export function align(length: number): number {
  return (length + 3) & ~3
}
