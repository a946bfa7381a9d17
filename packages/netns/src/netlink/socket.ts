import { closeSync } from 'node:fs'
import { NetnsError } from '../handle/netns-error.ts'
import { AF_NETLINK, MSG_DONTWAIT, MSG_TRUNC, SOCK_CLOEXEC, SOCK_RAW } from '../sys/constants.ts'
import { isSysError, type Sys } from '../sys/sys.ts'
import { closeInBackground } from './close-in-background.ts'
import { u32 } from './values.ts'

/**
 * Netlink socket for datagrams to and from the kernel. The kernel answers inside `send`, so the answer can be received
 * at once.
 */
export interface NetlinkSocket extends Disposable {
  /**
   * Descriptor of the netlink socket. A child process may inherit a copy. The kernel's cleanup delays only the process
   * that closes the last copy.
   */
  readonly fd: number
  /** Sends a datagram to the kernel. Throws a `SysError`, or `NetnsError('CLOSED')`. */
  send(datagram: Uint8Array): void
  /**
   * Receives the next datagram of the kernel without waiting. Other results:
   * - `none`: no datagram has arrived
   * - `lost`: a datagram did not fit into a receive buffer
   *
   * Throws a `SysError`, `NetnsError('CLOSED')`, or `NetnsError('ENOBUFS')` if other processes flood the socket.
   */
  receive(): Uint8Array | 'none' | 'lost'
  /** Closes the netlink socket. A second call does nothing. */
  close(): void
  /**
   * Closes the netlink socket without waiting for the kernel's cleanup. Deletions in nf_tables, for example, need such
   * a cleanup.
   */
  leave(): void
}

// Maximum number of datagrams from other processes that one `receive` call skips.
const MAX_SKIPPED = 10_000

// Size of the receive buffer: a datagram of a dump has up to 32 KiB.
const BUFFER_SIZE = 64 * 1024

const SOL_SOCKET = 1
const SO_SNDBUF = 7
const SO_RCVBUF = 8
const SO_SNDBUFFORCE = 32
const SO_RCVBUFFORCE = 33
const SOL_NETLINK = 270
const NETLINK_ADD_MEMBERSHIP = 1
const NETLINK_CAP_ACK = 10
const NETLINK_EXT_ACK = 11
const NETLINK_GET_STRICT_CHK = 12

/** Opens a netlink socket in the namespace of the calling thread. The socket stays in that namespace. */
export function openSocket(
  sys: Sys,
  protocol: number,
  {
    groups = [],
    receiveBuffer,
    strict = false,
  }: {
    groups?: readonly number[] | undefined
    receiveBuffer?: number | undefined
    strict?: boolean | undefined
  } = {},
): NetlinkSocket {
  const fd = sys.socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol)
  const set = (level: number, option: number, value: number) => sys.setsockopt(fd, level, option, u32(value))
  const trySet = (level: number, option: number, value: number) => {
    try {
      set(level, option, value)
      return true
    } catch {
      // The kernel refused the socket option; the caller can try another option.
      return false
    }
  }
  const resize = (force: number, ordinary: number, bytes: number) =>
    trySet(SOL_SOCKET, force, bytes) || trySet(SOL_SOCKET, ordinary, bytes)
  try {
    if (groups.length === 0) {
      // Asks the kernel to explain errors (Linux 4.12), and to omit the request's contents from acknowledgements (Linux
      // 4.3).
      trySet(SOL_NETLINK, NETLINK_EXT_ACK, 1)
      trySet(SOL_NETLINK, NETLINK_CAP_ACK, 1)
    }
    if (strict) trySet(SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1)
    if (receiveBuffer !== undefined) resize(SO_RCVBUFFORCE, SO_RCVBUF, receiveBuffer)
    sys.bind(fd, kernelAddress())
    for (const group of groups) set(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)
  } catch (error) {
    closeSync(fd)
    throw error
  }

  const from = Buffer.alloc(ADDRESS_SIZE)
  let own: Uint8Array | undefined
  let open = true
  const check = () => {
    if (!open) throw new NetnsError('CLOSED', 'the netlink socket is closed')
  }
  const close = () => {
    if (open) closeSync(fd)
    open = false
  }
  return {
    fd,
    send(datagram) {
      check()
      try {
        sys.sendto(fd, datagram, 0)
      } catch (error) {
        if (!isCode(error, 'EMSGSIZE')) throw error
        // Sends again with a larger buffer, because EMSGSIZE means that the kernel processed nothing.
        resize(SO_SNDBUFFORCE, SO_SNDBUF, datagram.length)
        sys.sendto(fd, datagram, 0)
      }
    },
    receive() {
      check()
      const buffer = own ?? sharedBuffer()
      for (let skipped = 0; skipped < MAX_SKIPPED; ) {
        try {
          const length = sys.recv(fd, buffer, MSG_DONTWAIT | MSG_TRUNC, from)
          // Skips datagrams of other processes. Any process with CAP_NET_ADMIN in the namespace can send to this
          // socket.
          if (from.readUInt32LE(PORT_AT) !== KERNEL) skipped++
          else if (length <= buffer.length) return buffer.slice(0, length)
          else {
            own = new Uint8Array(2 * length)
            return 'lost'
          }
        } catch (error) {
          if (isCode(error, 'EAGAIN')) return 'none'
          if (isCode(error, 'ENOBUFS')) return 'lost'
          if (!isCode(error, 'EINTR')) throw error
        }
      }
      throw new NetnsError('ENOBUFS', 'another process floods the netlink socket')
    },
    close,
    leave() {
      if (open) closeInBackground(sys, fd)
      open = false
    },
    [Symbol.dispose]: close,
  }
}

let shared: Uint8Array | undefined

/** Returns the receive buffer that all netlink sockets share. Callers copy the received bytes before the next call. */
function sharedBuffer(): Uint8Array {
  shared ??= new Uint8Array(BUFFER_SIZE)
  return shared
}

const ADDRESS_SIZE = 12
const PORT_AT = 4
const KERNEL = 0

// struct sockaddr_nl: family, padding, port (0: the kernel chooses one), groups.
function kernelAddress(): Uint8Array {
  const address = Buffer.alloc(ADDRESS_SIZE)
  address.writeUInt16LE(AF_NETLINK)
  return address
}

function isCode(error: unknown, code: string): boolean {
  return isSysError(error) && error.code === code
}
