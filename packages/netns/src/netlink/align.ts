/** Next multiple of four: messages and attributes are aligned to it. */
export function align(length: number): number {
  return (length + 3) & ~3
}
