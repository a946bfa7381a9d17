/** Compares two byte strings like `Buffer.compare`, which browsers do not have. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const end = Math.min(a.length, b.length)
  for (let at = 0; at < end; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
