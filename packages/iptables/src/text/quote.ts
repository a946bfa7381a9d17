import { invalid } from '../errors.ts'

/**
 * One token as `iptables-restore` reads it back: quoted when it is empty or holds blanks or quotes. It refuses control
 * characters, so that no token can start a new line whatever the data came from.
 */
export function quote(token: string): string {
  if (plain.test(token)) return token
  if (/\p{Cc}/u.test(token)) invalid(`${JSON.stringify(token)} has control characters`)
  // The reader collects at most 1023 bytes per token ("Parameter too long!").
  if (byteLength(token) > 1000) invalid(`${JSON.stringify(token.slice(0, 40))}… is longer than 1000 bytes`)
  return /^[^\s"\\]+$/.test(token) ? token : `"${token.replace(/["\\]/g, '\\$&')}"`
}

/** A rule's tokens as one line, without the newline. */
export function ruleLine(tokens: readonly string[]): string {
  let line = ''
  for (const token of tokens) line += line === '' ? quote(token) : ` ${quote(token)}`
  // iptables-restore reads lines into 10 240 bytes and rules into 255 arguments; what is longer would be cut in two.
  if (tokens.length > 240 || line.length > 3000) checkSize(tokens, line)
  return line
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

const plain = /^[\w./:,=@%+-]{1,1000}$/

function checkSize(tokens: readonly string[], line: string): void {
  if (tokens.length <= 240 && byteLength(line) <= 10_000) return
  invalid(`a rule of ${tokens.length} tokens (${line.slice(0, 60)}…) is too long for iptables-restore; split it`)
}
