import { existsSync } from 'node:fs'
import type { EnterOptions } from './runner.ts'

/**
 * Returns a value for the option `shield` that hides `/etc/nsswitch.conf` behind an empty file. Programs then look up
 * users, hosts and protocols only in files of the node. Otherwise a lookup may send network requests from the pod.
 * `undefined` if the node lacks `/etc/nsswitch.conf`.
 */
export function nssShield(): EnterOptions['shield'] {
  const target = '/etc/nsswitch.conf'
  return existsSync(target) ? [{ source: '/dev/null', target }] : undefined
}
