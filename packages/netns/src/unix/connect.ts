import { closeSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { NetnsError } from '../handle/netns-error.ts'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { unixAddress } from './address.ts'
import { connectionOver, type UnixConnection } from './connection.ts'
import { AF_UNIX, SOCK_NONBLOCK } from './constants.ts'
import { settingsOf } from './options.ts'

/**
 * Connects to a unix socket: at once, or not at all. `peer` is the process that began to listen.
 * Throws `NetnsError` `INVALID`, `NO_FFI`, `NOT_MAIN_THREAD`, or the kernel's `ENOENT`, `ECONNREFUSED` (nobody listens),
 * `EPROTOTYPE` (another type of socket), `EAGAIN` (too many wait to be accepted), `EACCES`.
 *
 * @example
 * using agent = connectUnix('/run/agent.sock')
 * await agent.send(Buffer.from('here is my namespace'), [pod.fd])
 */
export function connectUnix(
  path: string,
  options: {
    /**
     * `seqpacket`: messages come whole, one by one. `stream`: bytes, cut anywhere; descriptors come with the first byte that
     * was sent with them. Default `seqpacket`.
     */
    readonly type?: 'seqpacket' | 'stream' | undefined
    /** Bytes of one message; what is longer is cut, and told. Default 65536. */
    readonly maxBytes?: number | undefined
    /** Descriptors of one message, at most 253; the kernel closes those beyond, which is told. Default 16. */
    readonly maxFds?: number | undefined
    /** Bytes that may wait in this process for a peer that does not read. Default 1048576. */
    readonly maxPending?: number | undefined
  } = {},
): UnixConnection {
  const settings = settingsOf(options)
  const address = unixAddress(path)
  const fd = loadSys().socket(AF_UNIX, settings.socketType | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
  try {
    connectTo(fd, path, address)
    return connectionOver(fd, settings)
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
