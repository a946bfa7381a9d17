import { NetnsError } from '../handle/netns-error.ts'
import { isSysError } from '../sys/sys.ts'
import { type Answers, addDatagram, firstOf, type Keep, noAnswers, repliesOf } from './answers.ts'
import { NLM_F_ACK, NLM_F_REQUEST, NLMSG_NOOP } from './constants.ts'
import type { Message } from './decode.ts'
import { encodeMessage, type Request } from './encode.ts'
import type { NetlinkError } from './netlink-error.ts'
import { numberMessages } from './numbering.ts'
import { encodeRequest, type RequestKind } from './request.ts'
import type { NetlinkSocket } from './socket.ts'

/**
 * Netlink socket for requests and their answers. No method waits, because the kernel answers inside the call. All
 * methods work inside and outside `netns.run`. Open a separate socket for events.
 *
 * `get`, `ask` and `dump` throw a {@link NetlinkError} if the kernel refuses a request. Other failures throw a
 * `NetnsError`:
 * - `EAGAIN`: the kernel did not answer
 * - `ENOBUFS`: the answer was lost
 * - `PROTOCOL`: the bytes are not netlink messages
 * - `CLOSED`, or an errno name
 */
export interface Channel extends Disposable {
  /**
   * Reads one object of the kernel: one answer, no acknowledgement. All methods add `NLM_F_REQUEST` and the flags for
   * their kind of request.
   */
  get(
    request: Parameters<typeof encodeMessage>[0] & {
      /** Description of the request, for the beginning of an error message: `Add link "v0"`. */
      readonly what: string
    },
  ): Message
  /**
   * Sends a request that changes an object of the kernel. With `NLM_F_ECHO`, returns the objects that the kernel
   * changed.
   */
  ask(request: Parameters<Channel['get']>[0]): Message[]
  /**
   * Reads a table of the kernel (dump). Repeats the dump if the table changes meanwhile, up to six dumps in all. After
   * six changed dumps, returns the last one, or throws `EINTR` with `consistent`.
   */
  dump(
    request: Parameters<Channel['get']>[0],
    options?: {
      /** True to throw `EINTR` if the table changed during every dump. Default: false. */
      readonly consistent?: boolean
      /** Decides which messages of the dump to keep. `kept` is the number of messages kept so far in this dump. */
      readonly keep?: (message: Message, kept: number) => boolean
    },
  ): Message[]
  /**
   * Descriptor of the netlink socket. A child process may inherit a copy. The kernel's cleanup delays only the process
   * that closes the last copy.
   */
  readonly fd: number
  /** Netlink port of the socket in the kernel. Events about changes through this socket contain the port. */
  port(): number
  /**
   * Sends a batch of messages in one datagram, as nfnetlink requires. Does not throw if the kernel refuses a message.
   * Throws the other errors of `get`, `ask` and `dump`. Writes the sequence numbers into `datagram`. Only the last
   * message needs the flag `NLM_F_ACK`.
   */
  exchange(
    datagram: Buffer,
    what: string,
  ): {
    /** All answers of the kernel except acknowledgements, in order. */
    readonly replies: readonly Message[]
    /** Messages that the kernel refused, with the reasons, in the kernel's order. */
    readonly refusals: readonly NetlinkError['refusal'][]
    /** True if the kernel acknowledged the last message with the flag `NLM_F_ACK`. */
    readonly acknowledged: boolean
    /** True if the kernel's answers exceeded the socket's buffer (ENOBUFS): a refusal may be missing in `refusals`. */
    readonly lost: boolean
  }
  /** Closes the netlink socket. A second call does nothing. */
  close(): void
  /** Closes the netlink socket without waiting for the kernel's cleanup. */
  leave(): void
}

/** Methods of a netlink channel that send single requests. */
export type RequestChannel = Pick<Channel, 'get' | 'ask' | 'dump'>

/** Creates a netlink channel over a socket. Tests pass the socket of a fake kernel. */
export function channelFrom(socket: NetlinkSocket): Channel {
  let sequence = 0
  let port: number | undefined
  let unread = false

  const talk = (datagram: Buffer, what: string, kind?: RequestKind, keep?: Keep): Answers => {
    try {
      // The sequence numbers of netlink requests restart at 1 before they exceed 32 bits.
      const expected = numberMessages(datagram, sequence > 0xf0000000 ? 1 : sequence + 1, kind)
      sequence = expected.last
      // Empties the socket's buffer of old answers, because the new answers need the space.
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
    kind: RequestKind,
    request: Request,
    { consistent, keep }: NonNullable<Parameters<Channel['dump']>[1]> = {},
  ): Message[] => {
    for (let attempt = 1; ; attempt++) {
      const answers = talk(encodeRequest(kind, request), request.what, kind, keep)
      const found = repliesOf(answers, request.what, attempt, consistent)
      if (found !== 'again') return found
    }
  }

  return {
    fd: socket.fd,
    port() {
      // Asks for the port with an empty netlink message, because every answer contains the port.
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
