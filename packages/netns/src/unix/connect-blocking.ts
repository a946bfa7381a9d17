import { closeSync } from 'node:fs'
import { NetnsError } from '../handle/netns-error.ts'
import { MSG_DONTWAIT, SOCK_CLOEXEC } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { isSysError, type Sys } from '../sys/sys.ts'
import { unixAddress } from './address.ts'
import { AF_UNIX, MSG_NOSIGNAL, SOCK_STREAM, SOL_SOCKET } from './constants.ts'

/** A connected unix stream socket. Its calls block, each no longer than it was told. */
export interface UnixStream extends Disposable {
  /** For `peerOf`. */
  readonly fd: number
  /** Sends all of it; throws when the other side has not taken it within `timeoutMs`. Default 1000. */
  send(bytes: Uint8Array, timeoutMs?: number): void
  /** Sends what can be sent at once; the rest is lost. */
  sendNow(bytes: Uint8Array): void
  /** What is there, at most 16 KiB; `waiting` when nothing came in time, `over` when the other side has closed. */
  receive(): Uint8Array | 'waiting' | 'over'
  /** The same without waiting. */
  receiveNow(): Uint8Array | 'waiting' | 'over'
  /** A second call does nothing. */
  close(): void
}

/**
 * Connects to a listening socket by system calls, which block: for a short request of a short process. All others use
 * `connectUnix`. Throws a `SysError`, and `NetnsError` `INVALID` for a path that
 * no socket has, and `NO_FFI`.
 *
 * @param blockMs - how long each call blocks the process at most; its timers and signals wait as long. Default 20.
 * @example
 * using stream = connectUnixBlocking('/run/agent.sock')
 * stream.send(Buffer.from('hello'))
 * while (stream.receive() === 'waiting') await new Promise((resolve) => setImmediate(resolve))
 */
export function connectUnixBlocking(path: string, blockMs = 20): UnixStream {
  const sys = loadSys()
  const fd = sys.socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)
  try {
    const patience = timeval(blockMs)
    sys.setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, patience)
    sys.setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, patience)
    sys.connect(fd, unixAddress(path))
    return streamOver(sys, fd)
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

// internal

const SO_RCVTIMEO = 20
const SO_SNDTIMEO = 21
const PIECE = 16_384

function streamOver(sys: Sys, fd: number): UnixStream {
  let open = true
  const close = () => {
    if (open) closeSync(fd)
    open = false
  }
  const receive = (flags: number) => {
    const buffer = new Uint8Array(PIECE)
    try {
      const length = sys.recv(fd, buffer, flags)
      return length === 0 ? 'over' : buffer.subarray(0, length)
    } catch (error) {
      if (isSysError(error) && (error.code === 'EAGAIN' || error.code === 'EINTR')) return 'waiting'
      throw error
    }
  }
  return {
    fd,
    send(bytes, timeoutMs = 1000) {
      const until = performance.now() + timeoutMs
      for (let sent = 0; sent < bytes.length; ) {
        // The kernel's own limit is for one call: a peer that takes a little each time would never meet it.
        if (performance.now() > until) {
          throw new NetnsError('ETIMEDOUT', `${bytes.length} bytes were not taken within ${timeoutMs} ms`)
        }
        sent += taken(() => sys.sendto(fd, bytes.subarray(sent), MSG_NOSIGNAL))
      }
    },
    sendNow(bytes) {
      sys.sendto(fd, bytes, MSG_NOSIGNAL | MSG_DONTWAIT)
    },
    receive: () => receive(0),
    receiveNow: () => receive(MSG_DONTWAIT),
    close,
    [Symbol.dispose]: close,
  }
}

/** How many bytes were sent; none where the call ended before its time. */
function taken(send: () => number): number {
  try {
    return send()
  } catch (error) {
    if (isSysError(error) && (error.code === 'EAGAIN' || error.code === 'EINTR')) return 0
    throw error
  }
}

/** struct timeval, of two longs. */
const timeval = (ms: number): Uint8Array =>
  new Uint8Array(new Uint32Array([Math.trunc(ms / 1000), 0, (ms % 1000) * 1000, 0]).buffer)
