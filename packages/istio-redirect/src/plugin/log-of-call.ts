import type { LogOptions } from '@cni/skel'
import type { Conf } from '../conf/conf.ts'
import { settingsOf } from '../conf/settings.ts'
import { logLevel, logSinks } from '../log/sinks.ts'

/** Returns the log options of a CNI call from the plugin's configuration. */
export function logOf(conf: Conf): LogOptions {
  const settings = settingsOf(conf)
  return { level: logLevel(settings.logLevel) ?? 'info', sinks: logSinks(settings) }
}
