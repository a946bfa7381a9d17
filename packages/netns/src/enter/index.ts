/**
 * Entry point that only enters namespaces, for processes with a short start time. The entry point `@cni/netns` exports
 * the same functions. It also loads the code that starts programs and configures routes.
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
