import module from 'node:module'
import type { ListenOptions, Server } from 'node:net'

/**
 * Drops root privileges permanently. Rules match the owner by the user and group of the process that opened the socket.
 */
export function becomeUser(uid: number, gid = uid): void {
  // The folder of compiled code belongs to root, so it is written now. Node 20 and bun lack this function.
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
