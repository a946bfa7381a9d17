/**
 * What enters a namespace, alone: for a process in which each millisecond counts. To import it from `@cni/netns` brings along
 * what starts programs, and routes; it is the same.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { run } from '@cni/netns/enter'
 * import { open } from '@cni/netns/handle'
 *
 * using pod = open('/run/netns/cni-7f3a')
 * export const sockets = run(pod, () => readFileSync('/proc/thread-self/net/sockstat', 'utf8'))
 * ```
 *
 * @module
 */

export { run, runInNew } from './runner.ts'
export { hasOwnUsers } from './user-namespace.ts'
