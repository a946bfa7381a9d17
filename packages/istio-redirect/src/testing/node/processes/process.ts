import module from 'node:module'
import type { ListenOptions, Server } from 'node:net'

/** Changes the process's user permanently, because iptables' owner rules match the user of a socket. */
export function becomeUser(uid: number, gid = uid): void {
  // Writes Node.js's compile cache before the process drops root, because root owns the cache's folder.
  module.flushCompileCache?.()
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

/** Makes the server listen. Resolves when the server accepts connections. */
export const listen = (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ipv6Only: true, ...options }, () => resolve())
  })
