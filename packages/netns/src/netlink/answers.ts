import { NetnsError } from '../handle/netns-error.ts'
import { NLM_F_DUMP_INTR, NLM_F_MULTI, NLMSG_DONE, NLMSG_ERROR, NLMSG_NOOP, NLMSG_OVERRUN } from './constants.ts'
import { decodeMessages, type Message } from './decode.ts'
import { NetlinkError } from './netlink-error.ts'
import { refusalIn } from './refusal.ts'
import type { RequestKind } from './request.ts'

/** Sequence numbers of netlink requests that are sent together, to recognise the kernel's answers. */
export interface Expected {
  /** Type of a single netlink request: read one object, change, or dump. `undefined` for a batch. */
  readonly kind: RequestKind | undefined
  /** Sequence numbers of the first and the last request message. */
  readonly first: number
  readonly last: number
  /** Sequence number of the request whose acknowledgement or end of dump completes the answer. */
  readonly final: number | undefined
}

/** Decides which replies of a dump to keep. `kept` is the number of replies kept so far. */
export type Keep = (message: Message, kept: number) => boolean

/** Answers of the kernel, received so far, to one netlink request or to a batch of requests. */
export interface Answers {
  readonly expected: Expected
  readonly keep: Keep | undefined
  /** All messages that the kernel sent as answers, except acknowledgements, in order. */
  readonly replies: Message[]
  readonly refusals: NetlinkError['refusal'][]
  /** Netlink port of this socket, as stated in every answer of the kernel. */
  port?: number
  /** True once the last answer to the requests has arrived. */
  done: boolean
  /** True if the kernel's tables changed during the dump: entries may be missing or repeated. */
  interrupted: boolean
  /** True if some answers did not fit into the socket's buffer. */
  lost: boolean
}

/** Creates the collection of the kernel's answers, before the first answer arrives. */
export function noAnswers(expected: Expected, keep?: Keep): Answers {
  return { expected, keep, replies: [], refusals: [], done: false, interrupted: false, lost: false }
}

/** Adds the messages of one datagram from the kernel. Throws `NetnsError('PROTOCOL')` for an invalid datagram. */
export function addDatagram(answers: Answers, datagram: Uint8Array): void {
  const { keep, expected } = answers
  const { kind, first, last, final } = expected
  for (const message of decodeMessages(datagram)) {
    const { type, flags, sequence } = message
    // Skips late answers to an earlier request that failed. Accepts sequence number 0, which nf_tables gives to set
    // elements.
    const isUnnumbered = sequence === 0 && kind === undefined && type > NLMSG_MIN_TYPE
    if (!isUnnumbered && (sequence < first || sequence > last)) continue
    answers.port = message.port
    if ((flags & NLM_F_DUMP_INTR) !== 0) answers.interrupted = true
    if (type === NLMSG_ERROR || type === NLMSG_DONE) {
      const refusal = refusalIn(message, sequence - first)
      if (refusal !== undefined) answers.refusals.push(refusal)
      if (sequence === final) answers.done = true
    } else if (type !== NLMSG_NOOP && type !== NLMSG_OVERRUN) {
      if (keep === undefined || keep(message, answers.replies.length)) answers.replies.push(message)
      if (kind === 'get' && (flags & NLM_F_MULTI) === 0) answers.done = true
    }
  }
}

/** Smallest message type of a netlink family. Lower types are control messages of netlink itself. */
const NLMSG_MIN_TYPE = 0x10

const ATTEMPTS = 6

/**
 * Returns the replies to one request, or `again` if the request must be repeated.
 *
 * @param attempt - number of the attempt, from 1
 * @param consistent - true to throw if the table changed during every dump, false to return the last dump
 */
export function repliesOf(answers: Answers, what: string, attempt: number, consistent = false): Message[] | 'again' {
  const { expected, replies, refusals, done, lost, interrupted } = answers
  const [refusal] = refusals
  if (refusal !== undefined) throw new NetlinkError(what, refusal)
  const changes = expected.kind === 'ask'
  if (done && (changes || !(lost || interrupted))) return replies
  if ((lost || interrupted) && !changes && attempt < ATTEMPTS) return 'again'
  if (lost) throw new NetnsError('ENOBUFS', `${what}: ENOBUFS, the answer did not fit into the socket's buffer`)
  if (!done) throw new NetnsError('EAGAIN', `${what}: EAGAIN, the kernel has not answered`)
  if (consistent) throw new NetnsError('EINTR', `${what}: EINTR, the table changed during each of ${ATTEMPTS} readings`)
  return replies
}

/** Returns the reply to a netlink request for a single object. */
export function firstOf([reply]: readonly Message[], what: string): Message {
  if (reply !== undefined) return reply
  throw new NetnsError('PROTOCOL', `${what}: the kernel has acknowledged the request but sent no reply`)
}
