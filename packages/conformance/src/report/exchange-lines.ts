import { escapeUnsafe, replaceUnsafe } from '@cni/types'
import type { Exchange } from '../model.ts'

const EXCERPT = 600

/** Formats a plugin call as lines for the user, similar to shell commands. */
export function exchangeLines(exchange: Exchange): string[] {
  const { env, stdin, special, exitCode, signal, stdout, stderr, timedOut, durationMs } = exchange
  const variables = Object.entries(env).filter(([name]) => name !== 'PATH')
  const end = timedOut ? 'did not end' : signal === null ? `exit code ${exitCode}` : `killed by ${signal}`
  return [
    `sent    ${variables.map(([name, value]) => `${name}=${quote(value)}`).join(' ')}`,
    ...(special === undefined ? [] : [`        ${special}`]),
    `stdin   ${excerpt(stdin)}`,
    `got     ${end} after ${durationMs} ms`,
    `stdout  ${excerpt(stdout)}`,
    ...(stderr === '' ? [] : [`stderr  ${excerpt(stderr)}`]),
  ]
}

function quote(value: string): string {
  return /^[\w./:=@,;+-]+$/.test(value) ? value : escapeUnsafe(JSON.stringify(value))
}

/** Puts a text from the plugin on one line and escapes control characters. */
function excerpt(text: string): string {
  if (text === '') return '(nothing)'
  const line = replaceUnsafe(compact(text).replaceAll('\n', '⏎'), '�')
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT)}… (${text.length} characters)` : line
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    // Prints the plugin's stdin or stdout unchanged if it is not JSON.
    return text.trimEnd()
  }
}
