/** Versions whose results have the same shape: `ip4`/`ip6`, then `ips` with a `version`, then `ips` without. */
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

/** Shape of the results of a version; `undefined` for an unknown version. */
export function familyOf(version: string): Family | undefined {
  return FAMILIES.get(version)
}

/** Versions of a family, oldest first. */
export function versionsOf(family: Family): string[] {
  return [...FAMILIES].flatMap(([version, other]) => (other === family ? [version] : []))
}
