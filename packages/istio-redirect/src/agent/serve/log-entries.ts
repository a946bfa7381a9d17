import * as z from 'zod/mini'
import type { LogEntry } from '../log/format.ts'
import type { Labels } from '../services.ts'

const lines = z.array(z.string())

const line = z.looseObject({
  level: z.string(),
  time: z.string(),
  msg: z.string(),
})

/** Deeper than anything a plugin has to say, shallower than any stack. */
const MAX_DEPTH = 32

/** Why a line is not printed. */
export const LINE_FAULTS = {
  form: 'it is no JSON object with level, time and msg',
  depth: `it is nested deeper than ${MAX_DEPTH} levels`,
  level: 'its level is unknown',
  time: 'its time is not RFC 3339',
} as const

/** One of the reasons. */
export type LineFault = keyof typeof LINE_FAULTS

/** What a plugin sent: lines to print, and why others are not printed. */
export interface ReceivedLines {
  readonly entries: readonly LogEntry[]
  readonly refused: readonly LineFault[]
}

/**
 * Reads the body of a `POST /log`: a JSON array of strings, each a JSON object with `level`, `time` and `msg`; its other
 * members become labels. `undefined` when the body is something else.
 */
export function parseLogBody(body: string): ReceivedLines | undefined {
  const outer = z.safeParse(lines, parseOrNothing(body))
  if (!outer.success) return undefined
  const entries: LogEntry[] = []
  const refused: LineFault[] = []
  for (const text of outer.data) {
    const entry = toEntry(text)
    if (typeof entry === 'string') refused.push(entry)
    else entries.push(entry)
  }
  return { entries, refused }
}

function toEntry(text: string): LogEntry | LineFault {
  const parsed = z.safeParse(line, parseOrNothing(text))
  if (!parsed.success) return 'form'
  const { level, time, msg, ...others } = parsed.data
  if (level !== 'debug' && level !== 'info' && level !== 'warn' && level !== 'error') return 'level'
  const utc = toUtc(time)
  if (utc === undefined) return 'time'
  if (isDeeper(others, MAX_DEPTH)) return 'depth'
  return { level, time: utc, scope: 'cni-plugin', msg: msg.trim(), labels: toLabels(others) }
}

function toLabels(members: Readonly<Record<string, unknown>>): Labels {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, isScalar(value) ? value : JSON.stringify(value)]),
  )
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1)))

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const RFC3339 = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/

/** An RFC 3339 time in UTC, its fraction cut to microseconds. */
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
    // the schema says what was expected
    return undefined
  }
}
