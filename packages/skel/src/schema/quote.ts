/** Maximum number of characters of a raw configuration value in an error message. */
const LIMIT = 80

const SECRET = /token|passw(?:or)?d|secret|credential|private.?key|api.?key|authorization/i

/** Formats a raw configuration value for an error message: as JSON, shortened, without secrets. */
export function quoteValue(value: unknown, path: readonly PropertyKey[]): string {
  if (path.some(isSecret)) return '"<redacted>"'
  const text = JSON.stringify(value, (key, member: unknown) => (isSecret(key) ? '<redacted>' : member)) ?? String(value)
  return text.length <= LIMIT ? text : `${text.slice(0, LIMIT)}… (${text.length} characters)`
}

function isSecret(key: PropertyKey): boolean {
  return typeof key === 'string' && SECRET.test(key)
}
