import { closeSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { NetnsError } from '../handle/netns-error.ts'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { unixAddress } from './address.ts'
import { connectionFrom, type UnixConnection } from './connection.ts'
import { AF_UNIX, SOCK_NONBLOCK } from './constants.ts'
import { settingsOf } from './options.ts'

/**
 * Connects to a unix socket without waiting. `peer` of the result is the process that listens on the socket.
 *
 * Throws `NetnsError`:
 * - `INVALID`, `NO_FFI`, `NOT_MAIN_THREAD`
 * - `ENOENT`, `EACCES`: the kernel refuses the path
 * - `ECONNREFUSED`: no process listens
 * - `EPROTOTYPE`: the socket has another type
 * - `EAGAIN`: the queue of the listener is full
 *
 * @example
 * using agent = connectUnix('/run/agent.sock')
 * await agent.send(Buffer.from('here is my namespace'), [pod.fd])
 */
export function connectUnix(
  path: string,
  options: {
    /**
     * Type of the socket: `seqpacket` keeps the boundaries of messages. `stream` may split bytes anywhere; descriptors
     * arrive with the first byte. Default: `seqpacket`.
     */
    readonly type?: 'seqpacket' | 'stream' | undefined
    /**
     * Largest message to receive, in bytes. Longer packets are truncated; `bytesLost` of the message counts the missing
     * bytes. Default: 65536.
     */
    readonly maxBytes?: number | undefined
    /**
     * Maximum number of descriptors in a message, at most 253. The kernel closes further descriptors: `fdsLost` of the
     * message is true. Default: 16.
     */
    readonly maxFds?: number | undefined
    /** Maximum number of bytes that wait in this process for a peer that reads slowly. Default: 1048576. */
    readonly maxPending?: number | undefined
  } = {},
): UnixConnection {
  const settings = settingsOf(options)
  const address = unixAddress(path)
  const fd = loadSys().socket(AF_UNIX, settings.socketType | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
  try {
    connectTo(fd, path, address)
    return connectionFrom(fd, settings)
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function connectTo(fd: number, path: string, address: Uint8Array): void {
  try {
    loadSys().connect(fd, address)
  } catch (error) {
    const code = errnoOf(error)
    if (code === undefined) throw error
    throw new NetnsError(code, `Cannot connect to the unix socket ${path}: ${code}`, { path, cause: error })
  }
}
