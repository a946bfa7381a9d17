import { jsonMembers, jsonValue } from '@cni/types'

/** Finds the unchanged text of one member of valid JSON, with all digits of numbers. */
export function memberText(json: string, name: string): string | undefined {
  const value = jsonMembers(json, jsonValue(json)).findLast(({ key }) => key === name)?.value
  return value === undefined ? undefined : json.slice(value.start, value.end)
}

/** Like {@link memberText}, but faster. The member must exist. Its name must contain no JSON escapes. */
export function knownMemberText(json: string, name: string): string | undefined {
  const quoted = `"${name}"`
  const at = json.indexOf(quoted)
  if (at < 0 || json.includes('\\') || json.indexOf(quoted, at + 1) >= 0) return memberText(json, name)
  const behind = json.slice(json.indexOf(':', at + quoted.length) + 1)
  const { start, end } = jsonValue(behind)
  return behind.slice(start, end)
}
