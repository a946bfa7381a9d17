import { type CniErrorDocument, escapeUnsafe, goStringify } from '@cni/types'
import type { ExecutionReport } from '../reports/execution-report.ts'
import { formatChange } from '../reports/result-diff.ts'

/** Formats one plugin call for the user. */
export function traceText({ command, type, containerID, ifName, durationMs, error, changes }: ExecutionReport): string {
  const who = containerID === undefined ? '' : ` ${containerID}/${ifName ?? ''}`
  const head = `${command} ${type}${who}: ${ms(durationMs)}`
  if (error !== undefined) return `${head}, failed with code ${error.code}: ${escapeUnsafe(error.msg)}\n`
  if (changes === undefined) return `${head}\n`
  if (changes.length === 0) return `${head}, result unchanged\n`
  return `${[head, ...changes.map((change) => `  ${escapeUnsafe(formatChange(change))}`)].join('\n')}\n`
}

/** Formats the total time of a cnitool command, and the share that plugins took. */
export function totalText(durationMs: number, reports: readonly ExecutionReport[]): string {
  return `total ${ms(durationMs)}, of which in plugins ${ms(pluginTime(reports))}\n`
}

/** JSON output of a cnitool command with `--trace`. */
export interface TraceDocument {
  readonly command: string
  readonly network?: string | undefined
  readonly durationMs: number
  readonly plugins: readonly ExecutionReport[]
  readonly error?: CniErrorDocument | undefined
  /** Result of `cnitool add`, or the output of another command. */
  readonly result?: unknown
}

/** Encodes the output and the plugin calls of a cnitool command as one JSON document. */
export function traceJson(document: TraceDocument): string {
  const plugins = document.plugins.map((one) => ({ ...one, durationMs: rounded(one.durationMs) }))
  return `${goStringify({ ...document, durationMs: rounded(document.durationMs), plugins }, { indent: 2 })}\n`
}

function pluginTime(reports: readonly ExecutionReport[]): number {
  return reports.reduce((sum, { durationMs }) => sum + durationMs, 0)
}

function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`
}

function rounded(duration: number): number {
  return Math.round(duration * 100) / 100
}
