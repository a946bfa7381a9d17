import type { Socket } from 'node:net'
import { NetnsError } from '../handle/netns-error.ts'
import { loadSys } from '../sys/load-sys.ts'
import { SO_PEERCRED, SOL_SOCKET } from './constants.ts'

/** Size in bytes of the kernel's struct ucred: process, user and group id. */
const UCRED = 12
const NOBODY = 0xffff_ffff

/**
 * Process at the other end of a unix socket. The kernel reports the process (SO_PEERCRED), so no process can forge its
 * identity. A server gets the process that called connect. A client gets the process that called listen. Accepts
 * descriptors of unix sockets and sockets of `node:net` and `node:http`.
 *
 * Throws `NetnsError` or `SysError`:
 * - `INVALID`: the socket has no peer (TCP, a listening socket)
 * - `CLOSED`: the socket is closed
 * - `NO_FFI`, `EBADF`, `ENOTSOCK`
 *
 * @example
 * server.on('connection', (socket) => {
 *   if (peerOf(socket).uid !== 0) socket.destroy()
 * })
 */
export function peerOf(socket: number | Socket): {
  /**
   * Process id of the peer; 0 if this PID namespace hides the process. The process may have exited, and another process
   * may have the same id.
   */
  readonly pid: number
  /** User id of the peer process in this user namespace; 65534 if the user is not mapped. */
  readonly uid: number
  readonly gid: number
} {
  const fd = typeof socket === 'number' ? socket : descriptorOf(socket)
  const { buffer, byteLength } = loadSys().getsockopt(fd, SOL_SOCKET, SO_PEERCRED, UCRED)
  const [pid, uid, gid] = new Uint32Array(buffer, 0, byteLength < UCRED ? 0 : UCRED / 4)
  if (pid === undefined || uid === undefined || gid === undefined || uid === NOBODY) {
    throw new NetnsError('INVALID', `Descriptor ${fd} has no peer: it is not a connected unix socket`)
  }
  return { pid, uid, gid }
}

// Node.js and Bun store the descriptor in `_handle.fd`, which their types do not declare.
function descriptorOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
  if (typeof fd === 'number' && fd >= 0) return fd
  throw new NetnsError('CLOSED', 'The socket is closed and has no peer')
}
