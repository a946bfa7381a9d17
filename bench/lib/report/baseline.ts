import type { Report } from './report.ts'
import { ReportError } from './report.ts'

/** Merges a new report into the stored baseline. The baseline keeps the results of suites that did not run. */
export function mergeBaseline(stored: Report | undefined, report: Report, all: readonly string[]): Report {
  const missing = all.filter((name) => report.suites[name] === undefined)
  if (missing.length === 0) return report
  if (stored === undefined)
    throw new ReportError(`there is no baseline yet: run all suites (missing: ${missing.join(', ')})`)
  const machine = (one: Report): string => `${one.machine.cores} × ${one.machine.cpu}`
  if (machine(stored) !== machine(report))
    throw new ReportError(
      `the baseline is of another machine (${machine(stored)}) than this (${machine(report)}): run all suites`,
    )
  const lost = stored.peers.filter((name) => !report.peers.includes(name))
  const isRaced = Object.keys(report.suites).some((name) =>
    stored.suites[name]?.measures.some((one) => one.ratios.some(({ to }) => to === 'original')),
  )
  if (isRaced && lost.length > 0)
    throw new ReportError(`the baseline has ratios to originals that were not found now: ${lost.join(', ')}`)
  const suites = all.flatMap((name) => {
    const suite = report.suites[name] ?? stored.suites[name]
    return suite === undefined ? [] : [[name, suite] as const]
  })
  return { ...report, peers: isRaced ? report.peers : stored.peers, suites: Object.fromEntries(suites) }
}
