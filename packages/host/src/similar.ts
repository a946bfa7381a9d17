/**
 * Suggestions for unknown names in command lines and configurations.
 *
 * @example
 * ```ts
 * import { suggestion } from '@cni/host/similar'
 *
 * const names = ['port', 'exempt_uid']
 * console.error(`prot: unknown${suggestion('prot', names)}`) // prot: unknown, did you mean port?
 * ```
 *
 * @module
 */

/**
 * Finds the known name that a misspelt name means. Permits one typing error, or two in names of six letters and more.
 * Ignores capitals, `-` and `_`.
 */
export function misspelt(name: string, names: readonly string[]): string | undefined {
  if (name.length < 3) return undefined
  const most = name.length < 6 ? 1 : 2
  const written = folded(name)
  const [nearest] = names
    .map((each) => ({ each, other: folded(each) }))
    .filter(({ other }) => Math.abs(other.length - written.length) <= most)
    .map(({ each, other }) => ({ each, distance: editDistance(written, other) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)
  return nearest?.each
}

/**
 * Returns a suggestion for an unknown name, such as `, did you mean --json?`. The text is empty if no known name is
 * similar.
 */
export function suggestion(name: string, names: readonly string[], prefix = ''): string {
  const meant = similar(name, names)
  return meant === undefined ? '' : `, did you mean ${prefix}${meant}?`
}

// internal

/** Finds a known name with the same beginning or end, or with few typing errors. */
function similar(name: string, names: readonly string[]): string | undefined {
  if (name.length < 3) return undefined
  const part = names.find((each) => each.startsWith(name) || name.startsWith(each) || each.endsWith(name))
  return part ?? misspelt(name, names)
}

const folded = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '')

/** Computes the edit distance of two names: the number of letters to add, remove, replace, or swap with a neighbour. */
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
