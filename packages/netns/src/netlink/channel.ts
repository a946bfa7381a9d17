import { NetnsError } from '../handle/netns-error.ts'
import { isSysError } from '../sys/sys.ts'
import { type Answers, addDatagram, firstOf, type Keep, noAnswers, repliesOf } from './answers.ts'
import { NLM_F_ACK, NLM_F_REQUEST, NLMSG_NOOP } from './constants.ts'
import type { Message } from './decode.ts'
import { encodeMessage, type Request } from './encode.ts'
import type { NetlinkError } from './netlink-error.ts'
import { numberMessages } from './numbering.ts'
import { encodeRequest, type Way } from './request.ts'
import type { NetlinkSocket } from './socket.ts'

/**
 * A netlink socket that asks and reads the answers. The kernel answers within the call, so that nothing here waits, and
 * all of it may be used inside and outside `netns.run`. Sequence numbers run through the whole life of the channel: an
 * answer is never taken for that to another request. For events open a socket of their own.
 *
 * `get`, `ask` and `dump` throw a {@link NetlinkError} when the kernel refuses a request, else a `NetnsError`: `EAGAIN`
 * without an answer, `ENOBUFS` when the answer was lost, `PROTOCOL` for bytes that are no messages, `CLOSED`, or an errno
 * name.
 */
export interface Channel extends Disposable {
  /**
   * Reads one thing: one answer, no acknowledgement. `NLM_F_REQUEST`, and the flag that the method is about, are added to
   * the flags.
   */
  get(
    request: Parameters<typeof encodeMessage>[0] & {
      /** What it does, as the beginning of an error message: `Add link "v0"`. */
      readonly what: string
    },
  ): Message
  /** Changes something; with `NLM_F_ECHO` the kernel tells what became of it. */
  ask(request: Parameters<Channel['get']>[0]): Message[]
  /**
   * Reads a table. One that changed meanwhile may miss entries, or have them twice, and is read again, six times at
   * most; the last reading is taken as it is, or with `consistent` throws `EINTR`. `keep` returns false for a message
   * that is not needed: a long table is then never in memory as a whole.
   */
  dump(
    request: Parameters<Channel['get']>[0],
    options?: {
      /** True to throw `EINTR` if the last reading is inconsistent. Default: false. */
      readonly consistent?: boolean
      /** Decides about each message; gets the number of messages kept so far in this reading. */
      readonly keep?: (message: Message, kept: number) => boolean
    },
  ): Message[]
  /** For a child to inherit: whoever closes the socket last waits for what the kernel still has to clean up. */
  readonly fd: number
  /** The number under which the kernel knows the socket: the `port` in events about changes that were made through it. */
  port(): number
  /**
   * Sends messages in one piece, as nfnetlink wants its batches, and tells what the kernel says of each; a refusal is not
   * thrown, everything else as of single requests. The sequence numbers are written into the bytes. `NLM_F_ACK` on the
   * last message is enough.
   */
  exchange(
    datagram: Buffer,
    what: string,
  ): {
    /** All answers but acknowledgements, in their order. */
    readonly replies: readonly Message[]
    /** The messages that were refused, each with the reason, in the kernel's order. */
    readonly refusals: readonly NetlinkError['refusal'][]
    /** The last message that asked for an acknowledgement was answered. */
    readonly acknowledged: boolean
    /** The kernel had more to say than the socket's buffer held (ENOBUFS): something was refused that is not listed. */
    readonly lost: boolean
  }
  /** A second call does nothing. */
  close(): void
  /** Closes it without a wait for what the kernel still has to free. */
  leave(): void
}

/** The part of a channel that sends single requests. */
export type Questions = Pick<Channel, 'get' | 'ask' | 'dump'>

/** A channel over a socket, or over a fake of the kernel. */
export function channelFrom(socket: NetlinkSocket): Channel {
  let sequence = 0
  let port: number | undefined
  let unread = false

  const talk = (datagram: Buffer, what: string, way?: Way, keep?: Keep): Answers => {
    try {
      // 32 bits, and room for a batch.
      const expected = numberMessages(datagram, sequence > 0xf0000000 ? 1 : sequence + 1, way)
      sequence = expected.last
      // What an earlier exchange left takes the room of these answers.
      while (unread) unread = socket.receive() !== 'none'
      unread = true
      const answers = noAnswers(expected, keep)
      socket.send(datagram)
      while (!answers.done) {
        const received = socket.receive()
        if (received === 'none') break
        if (received === 'lost') answers.lost = true
        else addDatagram(answers, received)
      }
      unread = answers.lost
      port = answers.port ?? port
      return answers
    } catch (cause) {
      if (!isSysError(cause) && !(cause instanceof NetnsError)) throw cause
      throw new NetnsError(cause.code, `${what}: ${cause.message}`, { cause })
    }
  }
  const replies = (
    way: Way,
    request: Request,
    { consistent, keep }: NonNullable<Parameters<Channel['dump']>[1]> = {},
  ): Message[] => {
    for (let attempt = 1; ; attempt++) {
      const answers = talk(encodeRequest(way, request), request.what, way, keep)
      const found = repliesOf(answers, request.what, attempt, consistent)
      if (found !== 'again') return found
    }
  }

  return {
    fd: socket.fd,
    port() {
      // An empty message: every family acknowledges or refuses it, and does nothing.
      const datagram = encodeMessage({ type: NLMSG_NOOP, flags: NLM_F_REQUEST | NLM_F_ACK })
      if (port === undefined) talk(datagram, 'Ask for the port of the socket', 'ask')
      return port ?? 0
    },
    get: (request) => firstOf(replies('get', request), request.what),
    ask: (request) => replies('ask', request),
    dump: (request, options) => replies('dump', request, options),
    exchange(datagram, what) {
      const { replies, refusals, done, lost } = talk(datagram, what)
      return { replies, refusals, acknowledged: done, lost }
    },
    close: () => socket.close(),
    leave: () => socket.leave(),
    [Symbol.dispose]: () => socket.close(),
  }
}
