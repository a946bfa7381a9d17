/**
 * Entry point that only enters namespaces, for programs that must start fast.
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
