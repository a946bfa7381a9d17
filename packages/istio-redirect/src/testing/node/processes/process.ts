import module from 'node:module'
import type { ListenOptions, Server } from 'node:net'

/** Give up root for good: the owner match of the rules looks at the ids of the process that opened the socket. */
export function becomeUser(uid: number, gid = uid): void {
  // A folder of compiled code belongs to root. Node 20 and bun lack the function.
  module.flushCompileCache?.()
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

/** Resolves when the server listens. */
export const listen = (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ipv6Only: true, ...options }, () => resolve())
  })
