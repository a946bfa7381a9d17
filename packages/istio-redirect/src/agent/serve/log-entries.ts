import { isObject } from '@cni/types'
import type { LogEntry } from '../log/format.ts'
import type { Labels } from '../shared/deps.ts'

/** Maximal nesting depth of objects and arrays in a log line, against stack overflows. */
const MAX_DEPTH = 32

/** Reasons why the agent does not print a log line of the plugin. */
export const LINE_FAULTS = {
  form: 'it is not a JSON object with level, time and msg',
  depth: `it is nested deeper than ${MAX_DEPTH} levels`,
  level: 'its level is unknown',
  time: 'its time is not RFC 3339',
} as const

/** Reason why the agent does not print a log line of the plugin. */
export type LineFault = keyof typeof LINE_FAULTS

/** Log lines that the plugin sent for one CNI call, and faults of invalid lines. */
export interface ReceivedLines {
  readonly entries: readonly LogEntry[]
  readonly refused: readonly LineFault[]
}

/** Parses the plugin's log lines in `POST /log`, a JSON array of strings. */
export function parseLogBody(body: string): ReceivedLines | undefined {
  const texts = parseOrNothing(body)
  if (!isTexts(texts)) return undefined
  const entries: LogEntry[] = []
  const refused: LineFault[] = []
  for (const text of texts) {
    const entry = toEntry(text)
    if (typeof entry === 'string') refused.push(entry)
    else entries.push(entry)
  }
  return { entries, refused }
}

function toEntry(text: string): LogEntry | LineFault {
  // Validates a log line by hand, because a schema is too slow for the lines of every pod.
  const document = parseOrNothing(text)
  if (!isObject(document)) return 'form'
  const { level, time, msg, ...others } = document
  if (typeof level !== 'string' || typeof time !== 'string' || typeof msg !== 'string') return 'form'
  if (level !== 'debug' && level !== 'info' && level !== 'warn' && level !== 'error') return 'level'
  const utc = toUtc(time)
  if (utc === undefined) return 'time'
  if (isDeeper(others, MAX_DEPTH)) return 'depth'
  return { level, time: utc, scope: 'cni-plugin', msg: msg.trim(), labels: toLabels(others) }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

function toLabels(members: Readonly<Record<string, unknown>>): Labels {
  const labels: Record<string, string | number | boolean> = {}
  for (const name in members) {
    const value = members[name]
    labels[name] = isScalar(value) ? value : JSON.stringify(value)
  }
  return labels
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)))

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const RFC3339 = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/

/** Converts an RFC 3339 time to UTC. Digits after the microseconds are dropped. */
export function toUtc(time: string): string | undefined {
  const [, seconds = '', fraction = '', zone = ''] = RFC3339.exec(time) ?? []
  const date = new Date(`${seconds}${zone}`.toUpperCase())
  if (Number.isNaN(date.getTime())) return undefined
  return date.toISOString().replace(/\.\d+Z$/, `.${fraction.slice(0, 6).padEnd(6, '0')}Z`)
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The result `undefined` means that the text is not JSON. The callers report this fault.
    return undefined
  }
}
