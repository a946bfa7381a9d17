import module from 'node:module'
import type { ListenOptions, Server } from 'node:net'

/**
 * Drops root privileges of the process permanently. Owner rules of iptables match the user and group of the process
 * that opened the socket.
 */
export function becomeUser(uid: number, gid = uid): void {
  // The folder of Node's compile cache belongs to root, so the cache is written before root is dropped. Node 20 and bun
  // lack this function.
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
