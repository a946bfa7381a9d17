/** Groups of CNI versions whose results have the same JSON structure. */
export type Family = 'ip4-ip6' | 'ips-version' | 'ips'

const FAMILIES: ReadonlyMap<string, Family> = /* @__PURE__ */ new Map([
  ['0.1.0', 'ip4-ip6'],
  ['0.2.0', 'ip4-ip6'],
  ['0.3.0', 'ips-version'],
  ['0.3.1', 'ips-version'],
  ['0.4.0', 'ips-version'],
  ['1.0.0', 'ips'],
  ['1.1.0', 'ips'],
])

/** Group of versions to which a CNI version belongs. `undefined` for an unknown version. */
export function familyOf(version: string): Family | undefined {
  return FAMILIES.get(version)
}

/** CNI versions whose results have the given JSON structure, oldest first. */
export function versionsOf(family: Family): string[] {
  return [...FAMILIES].flatMap(([version, other]) => (other === family ? [version] : []))
}
