import { escapeUnsafe, escapeUnsafeLines } from '@cni/types'

/** Levels, from the least verbose. */
const levels = ['none', 'error', 'warn', 'info', 'debug'] as const

/** Log of a command. */
export interface ToolLog {
  error(message: string): void
  warn(message: string): void
  info(message: string): void
  debug(message: string): void
}

/** Options of a {@link ToolLog}. */
export interface LogOptions {
  /** Level of the log, or `default:LEVEL`. Levels for other Istio scopes are ignored. */
  readonly level: string
  readonly json: boolean
  readonly now: () => Date
  write(line: string): void
}

/** Log with Istio's line format: time, level and message, separated by tabs, or JSON. */
export function toolLog({ level, json, now, write }: LogOptions): ToolLog {
  const named = level.split(',').map((part) => part.replace(/^(?:default|all):/, ''))
  const last = levels.find((each) => named.includes(each)) ?? 'info'
  const at = (each: (typeof levels)[number]) => (message: string) => {
    if (levels.indexOf(each) > levels.indexOf(last)) return
    const time = now().toISOString().replace(/Z$/, '000Z')
    const line = json
      ? escapeUnsafe(JSON.stringify({ level: each, time, msg: message }))
      : `${time}\t${each}\t${escapeUnsafeLines(message)}`
    write(`${line}\n`)
  }
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}
