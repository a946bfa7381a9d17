import { escapeUnsafe } from '@cni/types'
import type { Labels } from '../shared/deps.ts'

/** Log line of the agent as data, before it is formatted. */
export interface LogEntry {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** Time of the log line in UTC with microseconds, such as `2026-01-02T03:04:05.678901Z`. */
  readonly time: string
  readonly scope: string
  readonly msg: string
  readonly labels?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
}

/** Format of the agent's log lines: JSON, Istio's text, or coloured text for a terminal. */
export type LogForm = 'json' | 'text' | 'terminal'

/** Formats a log line and appends a newline. */
export function formatLine(entry: LogEntry, form: LogForm): string {
  if (form === 'json') return jsonLine(entry)
  return form === 'text' ? textLine(entry) : terminalLine(entry)
}

function jsonLine({ level, time, scope, msg, labels = {} }: LogEntry): string {
  const { level: _level, time: _time, msg: _msg, scope: _scope, ...others } = labels
  const head = { level, time, ...(scope === 'default' ? {} : { scope }), msg }
  return `${escapeUnsafe(JSON.stringify({ ...head, ...others }))}\n`
}

function textLine({ level, time, scope, msg, labels = {} }: LogEntry): string {
  const columns = [time, level, ...(scope === 'default' ? [] : [scope]), escapeUnsafe(msg)]
  const extras = texts(labels)
  return `${[...columns, ...(extras.length === 0 ? [] : [extras.join(' ')])].join('\t')}\n`
}

const COLOURS = { debug: 90, info: 36, warn: 33, error: 31 } as const

function terminalLine({ level, time, scope, msg, labels = {} }: LogEntry): string {
  const paint = (code: number, text: string): string => `\u001b[${code}m${text}\u001b[0m`
  const extras = texts(labels).map((label) => ` ${paint(90, label)}`)
  const source = scope === 'cni-plugin' ? `${paint(35, 'plugin')} ` : ''
  const clock = paint(90, time.slice(11, 23))
  return `${clock} ${paint(COLOURS[level], level.toUpperCase().padEnd(5))} ${source}${escapeUnsafe(msg)}${extras.join('')}\n`
}

const texts = (labels: Labels): string[] =>
  Object.entries(labels).flatMap(([name, value]) =>
    value === undefined ? [] : [`${escapeUnsafe(name).replace(/[\s=]/g, '_')}=${labelText(String(value))}`],
  )

const labelText = (value: string): string =>
  /[\s"=]/.test(value) ? escapeUnsafe(JSON.stringify(value)) : escapeUnsafe(value)
