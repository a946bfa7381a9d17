/** Results of one test file that has run in a virtual machine. */
export interface FileReport {
  readonly file: string
  readonly passed: number
  readonly failed: number
  /** First line of each error message from the test file. */
  readonly errors: readonly string[]
  /** Skipped tests of the test file, with their reasons. */
  readonly skipped: readonly string[]
  readonly seconds: number
}

const MARK = 'cni-vm file '

/** Formats the results of a test file as one line with a mark, which the virtual machine prints. */
export const reportLine = (report: FileReport) => `${MARK}${JSON.stringify(report)}\n`

/**
 * Parses a line of results from the virtual machine.
 *
 * @returns `undefined` for a line without the mark
 */
export function parseReportLine(line: string): FileReport | undefined {
  return line.startsWith(MARK) ? JSON.parse(line.slice(MARK.length)) : undefined
}
