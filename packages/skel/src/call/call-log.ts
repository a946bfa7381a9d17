import { escapeUnsafe } from '@cni/types'
import { describeValue } from '../checks.ts'
import type { Log, LogFields, LogLevel, LogOptions, LogSink } from '../log.ts'
import { stackOf } from './causes.ts'

const LEVELS: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug']

/** Logger of one CNI call. Buffers its lines until the plugin's log options (level and sinks) are known. */
export interface CallLog extends Log {
  /** Sets level and sinks of the log, and writes the buffered lines. */
  open(options?: LogOptions): void
  /** Writes the buffered log lines and flushes the sinks. */
  close(): Promise<void>
}

/** Creates the logger of one CNI call. Each log line has the `fields`. */
export function callLog(stderr: (line: string) => void, fields: LogFields): CallLog {
  const now = clock()
  let bound = fields
  let buffered: Array<{ level: LogLevel; line: string }> | undefined = []
  let lowest = LEVELS.indexOf('info')
  let sinks: LogSink[] = []

  const isHidden = (level: LogLevel): boolean => LEVELS.indexOf(level) > lowest
  const emit = (level: LogLevel, line: string): void => {
    if (isHidden(level)) return
    stderr(line)
    sinks = sinks.filter((sink) => {
      try {
        sink.write(line)
        return true
      } catch (error) {
        stderr(formatLine(now(), 'warn', 'a log sink failed and is left out', { ...bound, error }))
        return false
      }
    })
  }
  const log = (level: LogLevel, message: string, own: LogFields = {}): void => {
    if (buffered === undefined && isHidden(level)) return
    const line = formatLine(now(), level, message, { ...bound, ...own })
    if (buffered === undefined) emit(level, line)
    else buffered.push({ level, line })
  }
  const open = (options: LogOptions = {}): void => {
    const waiting = buffered ?? []
    buffered = undefined
    const { level: wanted = 'info' } = options
    const level = LEVELS.indexOf(wanted)
    if (level >= 0) lowest = level
    sinks = [...(options.sinks ?? [])]
    if (level < 0) log('warn', `the log level ${describeValue(wanted)} is not one of ${LEVELS.join(', ')}: using info`)
    for (const { level, line } of waiting) emit(level, line)
  }

  return {
    error: (message, own) => log('error', message, own),
    warn: (message, own) => log('warn', message, own),
    info: (message, own) => log('info', message, own),
    debug: (message, own) => log('debug', message, own),
    bind(own) {
      bound = { ...bound, ...own }
    },
    open,
    async close() {
      if (buffered !== undefined) open()
      // Ignores a sink's error, because the log is already closed.
      await Promise.allSettled(sinks.map(async (sink) => sink.flush?.()))
    },
  }
}

/** Clock for log lines. It never goes back, even if the machine's clock is changed. */
function clock(): () => string {
  const start = Date.now() - performance.now()
  return () => {
    const now = start + performance.now()
    const micros = Math.floor((now % 1) * 1000)
    return `${new Date(now).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
  }
}

/** Formats a log line as JSON, with level, time and message first. Converts values that JSON cannot express. */
function formatLine(time: string, level: LogLevel, message: string, fields: LogFields): string {
  const { level: _level, time: _time, msg: _msg, ...others } = fields
  const entry = { level, time, msg: String(message), ...others }
  let text: string
  try {
    text = isPlain(others) ? JSON.stringify(entry) : JSON.stringify(entry, printable)
  } catch {
    // JSON cannot express the fields of the log line: they contain a cycle, or a `toJSON` that throws.
    text = JSON.stringify({ level, time, msg: entry.msg, fields: 'not serialisable' })
  }
  return `${escapeUnsafe(text)}\n`
}

/** True if JSON can express the fields of a log line without conversion, which is the usual case. */
function isPlain(fields: LogFields): boolean {
  for (const name in fields) if (!isScalar(fields[name]) && !isListOfScalars(fields[name])) return false
  return true
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === undefined

const isListOfScalars = (value: unknown): boolean => Array.isArray(value) && value.every(isScalar)

function printable(_key: string, value: unknown): unknown {
  if (value instanceof Error) return stackOf(value)
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}
