import { jsonMembers, jsonValue } from '@cni/types'

/**
 * Finds the text of one member of a JSON object, unchanged: with all digits of numbers and the order of keys. If
 * several members have the same name, returns the last one. The text must be valid JSON.
 */
export function memberText(json: string, name: string): string | undefined {
  const value = jsonMembers(json, jsonValue(json)).findLast(({ key }) => key === name)?.value
  return value === undefined ? undefined : json.slice(value.start, value.end)
}

/**
 * Returns the same as {@link memberText}, but faster, for a member that the JSON object certainly has. Skips all other
 * members if the JSON has no escapes and contains the name only once.
 *
 * @param name - name of the member, written without escapes in JSON.
 */
export function knownMemberText(json: string, name: string): string | undefined {
  const quoted = `"${name}"`
  const at = json.indexOf(quoted)
  if (at < 0 || json.includes('\\') || json.indexOf(quoted, at + 1) >= 0) return memberText(json, name)
  const behind = json.slice(json.indexOf(':', at + quoted.length) + 1)
  const { start, end } = jsonValue(behind)
  return behind.slice(start, end)
}
