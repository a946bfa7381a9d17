/** Longest common subsequence of two lists, as ascending pairs of indexes. */
export function commonSubsequence(a: readonly string[], b: readonly string[]): [number, number][] {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const pairs: [number, number][] = []
  for (let i = 0; i < start; i++) pairs.push([i, i])
  for (const pair of middle(a, b, start, a.length - end, b.length - end)) pairs.push(pair)
  for (let i = end; i > 0; i--) pairs.push([a.length - i, b.length - i])
  return pairs
}

// internal

interface Link {
  readonly a: number
  readonly b: number
  readonly previous: Link | undefined
}

/** Hunt-Szymanski algorithm for the longest common subsequence, fast enough for 10 000 rules. */
function middle(a: readonly string[], b: readonly string[], start: number, endA: number, endB: number) {
  const positions = new Map<string, number[]>()
  for (let j = endB - 1; j >= start; j--) {
    const key = b[j] ?? ''
    const found = positions.get(key)
    if (found === undefined) positions.set(key, [j])
    else found.push(j)
  }
  // Entry `n` ends the common subsequence of `n + 1` items that ends earliest in list `b`.
  const ends: Link[] = []
  for (let i = start; i < endA; i++) {
    for (const j of positions.get(a[i] ?? '') ?? []) {
      const length = countBefore(ends, j)
      if (ends[length]?.b !== j) ends[length] = { a: i, b: j, previous: ends[length - 1] }
    }
  }
  const pairs: [number, number][] = []
  for (let link = ends.at(-1); link !== undefined; link = link.previous) pairs.push([link.a, link.b])
  return pairs.reverse()
}

/** Length of the longest known common subsequence that ends before index `b`. */
function countBefore(ends: readonly Link[], b: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle]?.b ?? 0) < b) low = middle + 1
    else high = middle
  }
  return low
}
