/** The name that was probably meant: one that begins, ends or continues like it, or is two slips of the pen away. */
export function similar(name: string, names: readonly string[]): string | undefined {
  if (name.length < 3) return undefined
  const part = names.find((each) => each.startsWith(name) || name.startsWith(each) || each.endsWith(name))
  if (part !== undefined) return part
  const most = name.length < 6 ? 1 : 2
  const [nearest] = names
    .map((each) => ({ each, distance: editDistance(name, each) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)
  return nearest?.each
}

/** The end of a message about an unknown name: `, did you mean --json?`, or nothing. */
export function suggestion(name: string, names: readonly string[], prefix = ''): string {
  const meant = similar(name, names)
  return meant === undefined ? '' : `, did you mean ${prefix}${meant}?`
}

/** How many letters have to be added, removed, exchanged or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? Infinity) + 1 : Infinity
      next.push(Math.min(exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swapped))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
