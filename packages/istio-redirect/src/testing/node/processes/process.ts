import module from 'node:module'
import type { ListenOptions, Server } from 'node:net'

/**
 * Drops root privileges of the process permanently. Reason: owner rules of iptables match the user and group of the
 * process that opened the socket.
 */
export function becomeUser(uid: number, gid = uid): void {
  // Writes Node.js's compile cache before the process drops root, because the cache's folder belongs to root. Node.js
  // 20 and Bun have no function `flushCompileCache`.
  module.flushCompileCache?.()
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}

/** Listens with the server. Resolves when it accepts connections. */
export const listen = (server: Server, options: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ipv6Only: true, ...options }, () => resolve())
  })
