import { existsSync } from 'node:fs'
import type { EnterOptions } from './runner.ts'

/**
 * For programs that look users, hosts or protocols up through nsswitch, even where they are given numbers: in a pod that
 * may end in a network request from inside the pod. With an empty nsswitch.conf only the node's files are read.
 * `undefined` where the node has no such file.
 */
export function nssShield(): EnterOptions['shield'] {
  const target = '/etc/nsswitch.conf'
  return existsSync(target) ? [{ source: '/dev/null', target }] : undefined
}
