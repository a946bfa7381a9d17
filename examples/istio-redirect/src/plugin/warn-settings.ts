import type { Log } from '@cni/skel'
import { logLevel } from '../log/sinks.ts'
import type { Settings } from './settings.ts'

/** Says what of the configuration is not taken at its word. */
export function warnAboutSettings(log: Log, settings: Settings): void {
  if (logLevel(settings.logLevel) === undefined) {
    log.warn(`plugin_log_level ${JSON.stringify(settings.logLevel)} is unknown: taken as "info"`)
  }
}
