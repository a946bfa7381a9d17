import { existsSync } from 'node:fs'
import type { EnterOptions } from './runner.ts'

/**
 * Shield for programs that look up users, hosts or protocols through nsswitch, even for numbers. In a pod, such a
 * lookup may send network requests from the pod. With an empty nsswitch.conf, only the node's files are read.
 * `undefined` if the node has no nsswitch.conf.
 */
export function nssShield(): EnterOptions['shield'] {
  const target = '/etc/nsswitch.conf'
  return existsSync(target) ? [{ source: '/dev/null', target }] : undefined
}
