import { jsonMembers, jsonValue } from '@cni/types'

/**
 * The text of one member of a JSON object, exactly as it stands there: no number loses digits, no key its place.
 * Of several members with the same name the last counts. The text must have been parsed before.
 */
export function memberText(json: string, name: string): string | undefined {
  const value = jsonMembers(json, jsonValue(json)).findLast(({ key }) => key === name)?.value
  return value === undefined ? undefined : json.slice(value.start, value.end)
}

/**
 * The same of a member that the object is known to have. Where nothing is escaped and its name is in the text once, that
 * is the member, and the others are not read.
 *
 * @param name - without what JSON escapes
 */
export function knownMemberText(json: string, name: string): string | undefined {
  const quoted = `"${name}"`
  const at = json.indexOf(quoted)
  if (at < 0 || json.includes('\\') || json.indexOf(quoted, at + 1) >= 0) return memberText(json, name)
  const behind = json.slice(json.indexOf(':', at + quoted.length) + 1)
  const { start, end } = jsonValue(behind)
  return behind.slice(start, end)
}
