/** Counts the rules with each key. Returns a map from the key to the count. */
export function countKeys(rules: readonly { readonly key: string }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { key } of rules) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
