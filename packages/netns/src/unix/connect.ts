import { closeSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { NetnsError } from '../handle/netns-error.ts'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { unixAddress } from './address.ts'
import { connectionOver, type UnixConnection } from './connection.ts'
import { AF_UNIX, SOCK_NONBLOCK } from './constants.ts'
import { type ConnectionOptions, settingsOf } from './options.ts'

/**
 * Connects to a unix socket: at once, or not at all. `peer` is the process that began to listen.
 * Throws `NetnsError` `INVALID`, `NO_FFI`, `NOT_MAIN_THREAD`, or the kernel's `ENOENT`, `ECONNREFUSED` (nobody listens),
 * `EPROTOTYPE` (another type of socket), `EAGAIN` (too many wait to be accepted), `EACCES`.
 *
 * @example
 * using agent = connectUnix('/run/agent.sock')
 * await agent.send(Buffer.from('here is my namespace'), [pod.fd])
 */
export function connectUnix(path: string, options: ConnectionOptions = {}): UnixConnection {
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
