import { jsonMembers, jsonValue } from '@cni/types'

/**
 * The text of one member of a JSON object, exactly as it stands there: no number loses digits, no key its place.
 * Of several members with the same name the last counts. The text must have been parsed before.
 */
export function memberText(json: string, name: string): string | undefined {
  const value = jsonMembers(json, jsonValue(json)).findLast(({ key }) => key === name)?.value
  return value === undefined ? undefined : json.slice(value.start, value.end)
}
