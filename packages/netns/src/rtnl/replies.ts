import { NetnsError } from '../handle/netns-error.ts'
import { errnoName } from '../sys/libc.ts'
import { NLM_F_ACK_TLVS, NLM_F_CAPPED, NLM_F_DUMP_INTR, NLMSG_DONE, NLMSG_ERROR, NLMSG_NOOP } from './constants.ts'
import { decodeAttributes, decodeMessages, type Message, readCString, view } from './message.ts'

/** What the kernel has answered so far to one request. */
export interface Replies {
  /** Bodies of the answers. */
  readonly bodies: Uint8Array[]
  /** The answer is complete. */
  done: boolean
  /** The tables changed during the dump: it may miss or repeat entries. */
  interrupted: boolean
}

const NLMSGERR_ATTR_MSG = 1

/** Nothing yet. */
export function noReplies(): Replies {
  return { bodies: [], done: false, interrupted: false }
}

/** Takes in one datagram. Throws `NetnsError` with the errno name when the kernel refused the request. */
export function addDatagram(replies: Replies, datagram: Uint8Array, sequence: number, what: string): void {
  for (const message of decodeMessages(datagram)) {
    // the answer to an earlier request that failed half-way
    if (message.sequence !== sequence) continue
    if ((message.flags & NLM_F_DUMP_INTR) !== 0) replies.interrupted = true
    if (message.type === NLMSG_ERROR || message.type === NLMSG_DONE) {
      replies.done = true
      throwIfRefused(message, what)
    } else if (message.type !== NLMSG_NOOP) {
      replies.bodies.push(message.body)
    }
  }
}

function throwIfRefused(message: Message, what: string): void {
  const body = view(message.body)
  // a DONE may carry an errno, too, or nothing
  const errno = body.length >= 4 ? -body.readInt32LE(0) : 0
  if (errno <= 0) return
  const code = errnoName(errno)
  const text = message.type === NLMSG_ERROR ? extendedText(message) : undefined
  const hint = code === 'EPERM' ? ' (needs root: CAP_NET_ADMIN)' : ''
  throw new NetnsError(code, `${what}: ${code}${text === undefined ? '' : `, ${text}`}${hint}`)
}

// The kernel's own sentence, behind the errno and (a part of) our request.
function extendedText(message: Message): string | undefined {
  if ((message.flags & NLM_F_ACK_TLVS) === 0) return undefined
  const request = view(message.body).readUInt32LE(4)
  const fixed = 4 + ((message.flags & NLM_F_CAPPED) !== 0 ? 16 : request)
  return readCString(decodeAttributes(message.body, fixed).get(NLMSGERR_ATTR_MSG))
}
