/** Result of a test file. */
export interface FileReport {
  readonly file: string
  readonly passed: number
  readonly failed: number
  /** First line of each error. */
  readonly errors: readonly string[]
  /** Skipped tests with their reasons. */
  readonly skipped: readonly string[]
  readonly seconds: number
}

const MARK = 'cni-vm file '

/** Formats a report as one marked line in the output. */
export const reportLine = (report: FileReport) => `${MARK}${JSON.stringify(report)}\n`

/**
 * Parses such a line.
 *
 * @returns `undefined` for any other line
 */
export function parseReportLine(line: string): FileReport | undefined {
  return line.startsWith(MARK) ? JSON.parse(line.slice(MARK.length)) : undefined
}
