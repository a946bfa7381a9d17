import type { ServedLine } from './protocol.ts'

/** The lines of a call that is over, each with its newline. */
export function servedLines(log: readonly ServedLine[], ms: number): string[] {
  const lines: string[] = []
  for (const { text, timed } of log) {
    // Rounded without `Math`, which bun makes when it is first named.
    const took = timed === 'ms' ? (ms + 0.5) | 0 : ms
    lines.push(timed === undefined ? text : `${text.slice(0, -2)},"${timed}":${took}}\n`)
  }
  return lines
}
