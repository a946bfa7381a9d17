import { NetnsError } from '../handle/netns-error.ts'
import { NLM_F_DUMP_INTR, NLM_F_MULTI, NLMSG_DONE, NLMSG_ERROR, NLMSG_NOOP, NLMSG_OVERRUN } from './constants.ts'
import { decodeMessages, type Message } from './decode.ts'
import { NetlinkError } from './netlink-error.ts'
import { refusalIn } from './refusal.ts'
import type { Way } from './request.ts'

/** Which messages were sent, and what ends the answer to them. */
export interface Expected {
  /** Of a single request. */
  readonly way: Way | undefined
  /** The sequence numbers of the first and the last message. */
  readonly first: number
  readonly last: number
  /** The message whose acknowledgement or end of a dump is the last thing the kernel says; without one, silence is. */
  readonly final: number | undefined
}

/** Decides about each reply of a dump; `kept`: the number of replies kept so far. */
export type Keep = (message: Message, kept: number) => boolean

/** What the kernel has said so far of the messages sent together. */
export interface Answers {
  readonly expected: Expected
  readonly keep: Keep | undefined
  /** All but acknowledgements, in their order. */
  readonly replies: Message[]
  readonly refusals: NetlinkError['refusal'][]
  /** Ours; the kernel says it in every answer. */
  port?: number
  /** The final answer is there. */
  done: boolean
  /** The tables changed during the dump: it may miss or repeat entries. */
  interrupted: boolean
  /** Some answers did not fit into the socket's buffer. */
  lost: boolean
}

/** Nothing yet. */
export function noAnswers(expected: Expected, keep?: Keep): Answers {
  return { expected, keep, replies: [], refusals: [], done: false, interrupted: false, lost: false }
}

/** Takes in one datagram. Throws `NetnsError('PROTOCOL')` when it cannot be read. */
export function addDatagram(answers: Answers, datagram: Uint8Array): void {
  const { keep, expected } = answers
  const { way, first, last, final } = expected
  for (const message of decodeMessages(datagram)) {
    const { type, flags, sequence } = message
    // An earlier exchange that failed half-way leaves messages. nf_tables reports elements with the sequence number 0.
    const isUnnumbered = sequence === 0 && way === undefined && type > NLMSG_MIN_TYPE
    if (!isUnnumbered && (sequence < first || sequence > last)) continue
    answers.port = message.port
    if ((flags & NLM_F_DUMP_INTR) !== 0) answers.interrupted = true
    if (type === NLMSG_ERROR || type === NLMSG_DONE) {
      const refusal = refusalIn(message, sequence - first)
      if (refusal !== undefined) answers.refusals.push(refusal)
      if (sequence === final) answers.done = true
    } else if (type !== NLMSG_NOOP && type !== NLMSG_OVERRUN) {
      if (keep === undefined || keep(message, answers.replies.length)) answers.replies.push(message)
      if (way === 'get' && (flags & NLM_F_MULTI) === 0) answers.done = true
    }
  }
}

/** Below are the messages of netlink itself. */
const NLMSG_MIN_TYPE = 0x10

const ATTEMPTS = 6

/**
 * The replies to one request, or `again` when it has to be asked once more. Throws a `NetlinkError` for what the kernel
 * refused, a `NetnsError` for an answer that did not come.
 *
 * @param attempt - from 1
 * @param consistent - a table that never rests is an error, and not taken as it is
 */
export function repliesOf(answers: Answers, what: string, attempt: number, consistent = false): Message[] | 'again' {
  const { expected, replies, refusals, done, lost, interrupted } = answers
  const [refusal] = refusals
  if (refusal !== undefined) throw new NetlinkError(what, refusal)
  const changes = expected.way === 'ask'
  if (done && (changes || !(lost || interrupted))) return replies
  if ((lost || interrupted) && !changes && attempt < ATTEMPTS) return 'again'
  if (lost) throw new NetnsError('ENOBUFS', `${what}: ENOBUFS, the answer did not fit into the socket's buffer`)
  if (!done) throw new NetnsError('EAGAIN', `${what}: EAGAIN, the kernel has not answered`)
  if (consistent) throw new NetnsError('EINTR', `${what}: EINTR, it changed during each of ${ATTEMPTS} readings`)
  return replies
}

/** The reply to a request for one thing. */
export function firstOf([reply]: readonly Message[], what: string): Message {
  if (reply !== undefined) return reply
  throw new NetnsError('PROTOCOL', `${what}: the kernel has acknowledged it, and said nothing`)
}
