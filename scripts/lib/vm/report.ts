/** What a test file came to. */
export interface FileReport {
  readonly file: string
  readonly passed: number
  readonly failed: number
  /** What they said, the first line of each. */
  readonly errors: readonly string[]
  /** The tests that did not run, and what was said about that. */
  readonly skipped: readonly string[]
  readonly seconds: number
}

const MARK = 'cni-vm file '

/** The line that says it, among what else is printed. */
export const reportLine = (report: FileReport) => `${MARK}${JSON.stringify(report)}\n`

/** @returns `undefined` for any other line */
export function parseReportLine(line: string): FileReport | undefined {
  return line.startsWith(MARK) ? JSON.parse(line.slice(MARK.length)) : undefined
}
