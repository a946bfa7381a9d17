/**
 * Unix sockets that carry descriptors and identify the peer process. The main thread never blocks.
 *
 * @example
 * ```ts
 * import { connectUnix, listenUnix } from '@cni/netns/unix'
 *
 * const path = '/run/greet.sock'
 * using listener = listenUnix(path, {
 *   allow: ({ uid }) => uid === 0,
 *   async onConnection(connection) {
 *     using it = connection
 *     for await (using message of it) await it.send(Buffer.from(`${message.bytes}, with ${message.fds.length} descriptors`))
 *   },
 *   onError: (error) => process.stderr.write(`${error}\n`),
 * })
 * using connection = connectUnix(listener.path)
 * await connection.send(Buffer.from('hello'), [0, 1])
 * using answer = await connection.receive()
 * export const text = String(answer?.bytes) // hello, with 2 descriptors
 * ```
 *
 * @module
 */

export { connectUnix } from './connect.ts'
export type { UnixConnection } from './connection.ts'
export { listenUnix } from './listen.ts'
export type { UnixMessage } from './message.ts'
export { peerOf } from './peer.ts'
