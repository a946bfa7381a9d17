/** Texts that a YAML reader would take for something other than a string. */
const RESOLVES =
  /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|0[xob][\da-f_]+|[-+]?\.(?:inf|nan)|<<|=|\d{4}-\d\d?-\d\d?.*|[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?)$/i
const PLAIN = /^[A-Za-z0-9_./+][A-Za-z0-9_./+=-]*(?:[:=][A-Za-z0-9_./+=[\]-]+)*$/

/**
 * A string as a YAML scalar, for a value `indent` spaces deep: plain where that reads back as the same string, a literal
 * block for text that ends its lines properly, else in double quotes.
 */
export function yamlScalar(text: string, indent: number): string {
  if (PLAIN.test(text) && !RESOLVES.test(text)) return text
  if (/^[!-~][ -~]*(?:\n[!-~][ -~]*)*\n?$/.test(text) && text.includes('\n')) {
    const lines = text.replace(/\n$/, '').split('\n')
    const pad = ' '.repeat(indent)
    return `|${text.endsWith('\n') ? '' : '-'}\n${lines.map((line) => pad + line).join('\n')}`
  }
  return JSON.stringify(text).replaceAll('\u007f', '\\x7f')
}
