import { invalid } from '../errors.ts'

/** Quotes a token for `iptables-restore`. Refuses line breaks, which would start a new line. */
export function quote(token: string): string {
  if (plain.test(token)) return token
  if (/\p{Cc}/u.test(token)) invalid(`${JSON.stringify(token)} has control characters`)
  // iptables-restore accepts at most 1023 bytes per token ("Parameter too long!").
  if (byteLength(token) > 1000) invalid(`${JSON.stringify(token.slice(0, 40))}… is longer than 1000 bytes`)
  return /^[^\s"\\]+$/.test(token) ? token : `"${token.replace(/["\\]/g, '\\$&')}"`
}

/** Joins a rule's tokens to one line, without the newline. */
export function ruleLine(tokens: readonly string[]): string {
  let line = ''
  for (const token of tokens) line += line === '' ? quote(token) : ` ${quote(token)}`
  // iptables-restore reads lines of up to 10 240 bytes and rules of up to 255 arguments.
  if (tokens.length > 240 || line.length > 3000) checkSize(tokens, line)
  return line
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

const plain = /^[\w./:,=@%+-]{1,1000}$/

function checkSize(tokens: readonly string[], line: string): void {
  if (tokens.length <= 240 && byteLength(line) <= 10_000) return
  invalid(`a rule of ${tokens.length} tokens (${line.slice(0, 60)}…) is too long for iptables-restore; split it`)
}
