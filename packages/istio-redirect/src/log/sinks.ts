import { existsSync } from 'node:fs'
import { fileSink, type LogOptions, type LogSink } from '@cni/skel'
import { inFolder } from '../in-folder.ts'
import { agentSocket } from './agent-socket.ts'

/** Destinations of the plugin's log lines besides stderr. */
export interface LogDestinations {
  /** Folder of the plugin's log file `istio-cni.log`. `''` means no log file. */
  readonly runDir: string
  /** Path of the unix socket to which the plugin sends log lines for the node agent. */
  readonly logSocket: string | undefined
}

/** Creates the plugin's log sinks besides stderr: the node agent and a file. */
export function logSinks({ runDir, logSocket }: LogDestinations): LogSink[] {
  return [
    ...(logSocket !== undefined && existsSync(logSocket) ? [agentSocket(logSocket)] : []),
    ...(runDir === '' ? [] : [fileSink({ path: inFolder(runDir, 'istio-cni.log'), maxAge: TWO_DAYS })]),
  ]
}

const TWO_DAYS = 2 * 24 * 3_600_000

/** Returns the plugin's log level for a configured name. `undefined` for an unknown name. */
export const logLevel = (name: string): LogOptions['level'] => (Object.hasOwn(levels, name) ? levels[name] : undefined)

// Log levels by their configured names. The plugin logs no fatal lines, so `fatal` is the same as `none`.
const levels: Readonly<Record<string, NonNullable<LogOptions['level']>>> = {
  '': 'info',
  none: 'silent',
  fatal: 'silent',
  error: 'error',
  warn: 'warn',
  info: 'info',
  debug: 'debug',
}
