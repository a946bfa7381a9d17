import type { Log } from '@cni/skel'
import { logLevel } from '../log/sinks.ts'
import { type Conf, confKeys } from './conf.ts'
import type { Settings } from './settings.ts'

/** Warns about settings of the plugin that are ignored or replaced by a default. */
export function warnAboutSettings(log: Pick<Log, 'warn'>, conf: Conf, settings: Settings): void {
  if (logLevel(settings.logLevel) === undefined) {
    log.warn(`plugin_log_level ${JSON.stringify(settings.logLevel)} is unknown: taken as "info"`)
  }
  for (const key of Object.keys(conf)) {
    const plain = key.toLowerCase()
    // Warns about a key with upper-case letters. Istio's plugin accepts the key, because Go ignores case.
    if (plain !== key && confKeys.includes(plain)) log.warn(`${JSON.stringify(key)} is ignored: write ${plain}`)
  }
}
