import { existsSync } from 'node:fs'
import type { LogOptions, LogSink } from '@cni/skel'
import { agentSocket } from './agent-socket.ts'
import { logFile } from './log-file.ts'

/** Where log lines may go. */
export interface LogPlaces {
  /** The folder of `istio-cni.log`; `''`: no file. */
  readonly runDir: string
  /** Where the node agent listens. */
  readonly logSocket: string | undefined
}

/** Where log lines go besides stderr: the node agent, if it listens now, and a file in the run directory. */
export function logSinks({ runDir, logSocket }: LogPlaces): LogSink[] {
  return [
    ...(logSocket !== undefined && existsSync(logSocket) ? [agentSocket(logSocket)] : []),
    ...(runDir === '' ? [] : [logFile(runDir)]),
  ]
}

/** The level a configured name stands for, or `undefined` for a name nobody knows. */
export const logLevel = (name: string): LogOptions['level'] => (Object.hasOwn(levels, name) ? levels[name] : undefined)

// The plugin logs nothing fatal: what is left of that level is silence.
const levels: Readonly<Record<string, NonNullable<LogOptions['level']>>> = {
  '': 'info',
  none: 'silent',
  fatal: 'silent',
  error: 'error',
  warn: 'warn',
  info: 'info',
  debug: 'debug',
}
