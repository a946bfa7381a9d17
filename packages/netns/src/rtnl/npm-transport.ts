import { errnoOf, messageOf } from '@cni/types'
import { NetnsError } from '../handle/netns-error.ts'
import { type Answers, addDatagram, noAnswers, repliesOf } from '../netlink/answers.ts'
import type { RequestChannel } from '../netlink/channel.ts'
import { NETLINK_ROUTE } from '../netlink/constants.ts'
import type { Message } from '../netlink/decode.ts'
import type { Request } from '../netlink/encode.ts'
import { numberMessages } from '../netlink/numbering.ts'
import { encodeRequest, type RequestKind } from '../netlink/request.ts'
import { optionalPackage } from '../sys/optional-package.ts'
import { performLater } from './perform-later.ts'
import type { Transport } from './transport.ts'

/** Types of the npm package `netlink` (0.3.0) that this file uses. */
interface RawSocket {
  on(event: 'message', listener: (datagram: Buffer, from: { readonly port: number }) => void): void
  on(event: 'error', listener: (error: Error) => void): void
  send(datagram: Uint8Array, options: object, sent: (error?: Error) => void): void
  ref(): void
  unref(): void
  close(): void
}
interface NpmNetlink {
  readonly RawNetlinkSocket: new (protocol: number, options: { localPort: number }) => RawSocket
}

// Milliseconds after which an answer of the kernel counts as lost.
const TIMEOUT_MS = 5000

/** Opens an rtnetlink socket through the npm package `netlink`, for Node.js without FFI. */
export function npmTransport(withoutFfi: NetnsError): Transport {
  const { RawNetlinkSocket } = load(withoutFfi)
  const socket = new RawNetlinkSocket(NETLINK_ROUTE, { localPort: 0 })
  let sequence = 0
  let waiting: { readonly answers: Answers; settle(error?: unknown): void } | undefined
  let queue: Promise<unknown> = Promise.resolve()
  let open = true

  // The netlink socket keeps the process alive only while an operation waits for the kernel's answer.
  socket.unref()
  socket.on('error', (error) => waiting?.settle(error))
  socket.on('message', (datagram, { port }) => {
    if (waiting === undefined || port !== 0) return
    try {
      addDatagram(waiting.answers, datagram)
      if (waiting.answers.done) waiting.settle()
    } catch (error) {
      waiting.settle(error)
    }
  })

  const talk = (datagram: Buffer, kind: RequestKind) =>
    new Promise<Answers>((resolve, reject) => {
      if (!open) throw closed()
      const answers = noAnswers(numberMessages(datagram, ++sequence, kind))
      const settle = (error?: unknown) => {
        waiting = undefined
        clearTimeout(timer)
        if (open) socket.unref()
        if (error === undefined) resolve(answers)
        else reject(error)
      }
      const timer = setTimeout(settle, TIMEOUT_MS)
      waiting = { answers, settle }
      socket.ref()
      socket.send(datagram, {}, (error) => error !== undefined && settle(error))
    })
  const replies = async (kind: RequestKind, request: Request): Promise<Message[]> => {
    const { what } = request
    for (let attempt = 1; ; attempt++) {
      const answers = await talk(encodeRequest(kind, request), kind).catch((cause) => {
        throw new NetnsError(errnoOf(cause) ?? 'PROTOCOL', `${what}: ${messageOf(cause)}`, { cause })
      })
      const found = repliesOf(answers, what, attempt)
      if (found !== 'again') return found
    }
  }
  return {
    perform<T>(operation: (channel: RequestChannel) => T) {
      // Runs one operation at a time. The kernel refuses a second dump on a socket during the first.
      const done = queue.then(() => performLater(operation, replies))
      queue = done.catch(() => {})
      return done
    },
    close() {
      if (!open) return
      open = false
      socket.close()
      waiting?.settle(closed())
    },
  }
}

function load(withoutFfi: NetnsError): NpmNetlink {
  try {
    // The package `netlink` has no types, so the result is cast.
    return optionalPackage('netlink') as NpmNetlink
  } catch (cause) {
    if (errnoOf(cause) === 'MODULE_NOT_FOUND') throw withoutFfi
    const message = `${withoutFfi.message}; the package netlink failed to load: ${messageOf(cause)}`
    throw new NetnsError('NO_FFI', message, { cause })
  }
}

function closed(): NetnsError {
  return new NetnsError('CLOSED', 'the netlink socket is closed')
}
