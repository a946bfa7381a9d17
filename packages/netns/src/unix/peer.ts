import type { Socket } from 'node:net'
import { NetnsError } from '../handle/netns-error.ts'
import { loadSys } from '../sys/load-sys.ts'
import { SO_PEERCRED, SOL_SOCKET } from './constants.ts'

/** The size of struct ucred. */
const UCRED = 12
const NOBODY = 0xffff_ffff

/**
 * The process at the other end of a unix socket, by the kernel's word (SO_PEERCRED): nobody can claim to be another. It is
 * the one that connected, as it was then; for a client the process that began to listen. Descriptors of unix sockets
 * and sockets of `node:net` and `node:http` have one. Throws `NetnsError` `INVALID` for a socket without a peer (TCP, one
 * that listens), `CLOSED` for one that is closed, `NO_FFI`, or a `SysError` (`EBADF`, `ENOTSOCK`).
 *
 * @example
 * server.on('connection', (socket) => {
 *   if (peerOf(socket).uid !== 0) socket.destroy()
 * })
 */
export function peerOf(socket: number | Socket): {
  /** 0 when the process is not visible in this PID namespace. It may have ended, and its number be another's. */
  readonly pid: number
  /** As seen in this user namespace: 65534 when it has no such user. */
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

// Node and bun both have it there, and nowhere in their types.
function descriptorOf(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
  if (typeof fd === 'number' && fd >= 0) return fd
  throw new NetnsError('CLOSED', 'The socket is closed: nobody is at its other end')
}
