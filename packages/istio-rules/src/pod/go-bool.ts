/** Parses a boolean as Go's strconv.ParseBool does. `undefined` for any other text. */
export function goBool(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true
  return /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined
}
