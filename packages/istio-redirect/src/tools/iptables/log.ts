import { escapeUnsafe, escapeUnsafeLines } from '@cni/types'

/** Log levels of `istio-redirect iptables`, the least verbose first. */
const levels = ['none', 'error', 'warn', 'info', 'debug'] as const

/** Log of `istio-redirect iptables`. */
export interface ToolLog {
  error(message: string): void
  warn(message: string): void
  info(message: string): void
  debug(message: string): void
}

/** Options of {@link ToolLog}, the log of `istio-redirect iptables`. */
export interface LogOptions {
  /** Log level, or `default:LEVEL`. Levels for Istio's other log scopes are ignored. */
  readonly level: string
  readonly json: boolean
  readonly now: () => Date
  write(line: string): void
}

/** Creates a log in Istio's line format: time, level and message, separated by tabs, or as JSON. */
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
