import type { ServedLine } from './protocol.ts'

/** The lines of a call that is over, each with its newline. */
export function servedLines(log: readonly ServedLine[], ms: number): string[] {
  const lines: string[] = []
  for (const { text, timed } of log) lines.push(timed === undefined ? text : `${text.slice(0, -2)},"${timed}":${ms}}\n`)
  return lines
}
