/**
 * Unix sockets, and what `node:net` does not tell about them.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:net'
 * import { peerOf } from '@cni/netns/unix'
 *
 * export const forRoot = createServer((socket) => {
 *   if (peerOf(socket).uid !== 0) socket.destroy()
 * })
 * ```
 *
 * @module
 */

export { connectUnix, type UnixStream } from './connect.ts'
export { type Peer, peerOf } from './peer.ts'
