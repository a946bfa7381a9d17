import { closeSync } from 'node:fs'
import { NetnsError } from '../handle/netns-error.ts'
import { AF_NETLINK, MSG_DONTWAIT, MSG_TRUNC, SOCK_CLOEXEC, SOCK_RAW } from '../sys/constants.ts'
import { type Sys, SysError } from '../sys/sys.ts'
import {
  NETLINK_CAP_ACK,
  NETLINK_EXT_ACK,
  NETLINK_GET_STRICT_CHK,
  NETLINK_ROUTE,
  NLM_F_ACK,
  NLM_F_DUMP,
  NLM_F_REQUEST,
  SOL_NETLINK,
} from './constants.ts'
import { type Attribute, encodeMessage, u32 } from './message.ts'
import { addDatagram, noReplies } from './replies.ts'

/** One request: its type, its fixed part, and its words for an error message. */
export interface Request {
  readonly type: number
  readonly flags?: number
  readonly fixed: Uint8Array
  readonly attributes?: readonly Attribute[]
  readonly what: string
}

/** A netlink socket that asks and reads the answer. */
export interface Channel {
  /** Sends a request and returns the bodies of the answers, usually none. */
  ask(request: Request): Uint8Array[]
  /** Asks for a whole table. */
  dump(request: Request): Uint8Array[]
  close(): void
}

// the kernel fills at most 32 KiB of a dump into one datagram
const BUFFER_SIZE = 64 * 1024
const DUMP_ATTEMPTS = 6

/** Opens a socket in the namespace of the calling thread; it stays there, wherever it is used from. */
export function openChannel(sys: Sys): Channel {
  const fd = sys.socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)
  const buffer = new Uint8Array(BUFFER_SIZE)
  let sequence = 0
  let open = true
  try {
    for (const option of [NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK]) trySetOption(sys, fd, option)
    sys.bind(fd, kernelAddress())
  } catch (error) {
    closeSync(fd)
    throw error
  }

  const exchange = (request: Request, flags: number) => {
    if (!open) throw new NetnsError('CLOSED', `${request.what}: the rtnetlink socket is closed`)
    sequence += 1
    const head = { type: request.type, flags: NLM_F_REQUEST | flags | (request.flags ?? 0), sequence }
    const replies = noReplies()
    try {
      sys.sendto(fd, encodeMessage(head, request.fixed, request.attributes ?? []), 0)
      while (!replies.done) addDatagram(replies, receive(), sequence, request.what)
    } catch (cause) {
      if (!(cause instanceof SysError) && !(cause instanceof RangeError)) throw cause
      const code = cause instanceof SysError ? cause.code : 'PROTOCOL'
      throw new NetnsError(code, `${request.what}: ${cause.message}`, { cause })
    }
    return replies
  }
  const receive = () => {
    // Never waits: rtnetlink works inside our own sendto and recv, so an answer is there or will not come.
    const length = sys.recv(fd, buffer, MSG_DONTWAIT | MSG_TRUNC)
    if (length > buffer.length) throw new RangeError(`a datagram of ${length} bytes was cut`)
    return buffer.slice(0, length)
  }

  return {
    ask: (request) => exchange(request, NLM_F_ACK).bodies,
    dump(request) {
      for (let attempt = 1; ; attempt++) {
        const replies = exchange(request, NLM_F_DUMP)
        // After so many tries a table that never rests is taken as it is.
        if (!replies.interrupted || attempt === DUMP_ATTEMPTS) return replies.bodies
      }
    },
    close() {
      if (open) closeSync(fd)
      open = false
    },
  }
}

// Extended errors (4.12), short acknowledgements (4.3), strict filters (4.20): nice to have on an older kernel.
function trySetOption(sys: Sys, fd: number, option: number): void {
  try {
    sys.setsockopt(fd, SOL_NETLINK, option, u32(1))
  } catch {
    // ENOPROTOOPT
  }
}

// struct sockaddr_nl with port 0: the kernel chooses one
function kernelAddress(): Uint8Array {
  const address = Buffer.alloc(12)
  address.writeUInt16LE(AF_NETLINK, 0)
  return address
}
