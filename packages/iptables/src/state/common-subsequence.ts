/** Pairs of indices of a longest common subsequence of two lists, ascending. */
export function commonSubsequence(a: readonly string[], b: readonly string[]): [number, number][] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const pairs: [number, number][] = []
  for (let i = 0; i < start; i++) pairs.push([i, i])
  pairs.push(...middle(a, b, start, a.length - end, b.length - end))
  for (let i = end; i > 0; i--) pairs.push([a.length - i, b.length - i])
  return pairs
}

/** The classic table over what differs; its size is that of the difference, not of the lists. */
function middle(a: readonly string[], b: readonly string[], start: number, endA: number, endB: number) {
  const [rows, columns] = [endA - start, endB - start]
  const width = columns + 1
  const lengths = new Uint32Array((rows + 1) * width)
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const at = i * width + j
      lengths[at] =
        a[start + i] === b[start + j]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0)
    }
  }
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    const at = i * width + j
    if (a[start + i] === b[start + j]) pairs.push([start + i++, start + j++])
    else if ((lengths[at + width] ?? 0) >= (lengths[at + 1] ?? 0)) i++
    else j++
  }
  return pairs
}
