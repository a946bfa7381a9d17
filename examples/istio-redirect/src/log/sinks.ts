import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LogLevel, LogSink } from '@cni/skel'
import type { Settings } from '../plugin/settings.ts'
import { agentSocket } from './agent-socket.ts'
import { rotatingFile } from './rotating-file.ts'

/** Where log lines go besides stderr: the node agent, if it listens now, and a file in the run directory. */
export function logSinks({ runDir, logSocket }: Settings): LogSink[] {
  return [
    ...(logSocket !== undefined && existsSync(logSocket) ? [agentSocket(logSocket)] : []),
    ...(runDir === '' ? [] : [rotatingFile(join(runDir, 'istio-cni.log'))]),
  ]
}

/** The level a configured name stands for, or `undefined` for a name nobody knows. */
export const logLevel = (name: string): LogLevel | undefined => (Object.hasOwn(levels, name) ? levels[name] : undefined)

// The plugin logs nothing fatal, and an error is never kept from whoever has to find its cause.
const levels: Readonly<Record<string, LogLevel>> = {
  '': 'info',
  none: 'error',
  fatal: 'error',
  error: 'error',
  warn: 'warn',
  info: 'info',
  debug: 'debug',
}
