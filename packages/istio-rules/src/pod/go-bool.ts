/** Parses a boolean like Go's strconv.ParseBool. Returns `undefined` for text that Go refuses. */
export function goBool(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true
  return /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined
}
