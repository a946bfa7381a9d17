import type { LogOptions } from '@cni/skel'
import { logLevel, logSinks } from '../log/sinks.ts'
import type { Conf } from './conf.ts'
import { settingsOf } from './settings.ts'

/** The log that a configuration asks for. */
export function logOf(conf: Conf): LogOptions {
  const settings = settingsOf(conf)
  return { level: logLevel(settings.logLevel) ?? 'info', sinks: logSinks(settings) }
}
