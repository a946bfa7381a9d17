import { firstOf } from '../netlink/answers.ts'
import type { RequestChannel } from '../netlink/channel.ts'
import type { Message } from '../netlink/decode.ts'
import type { Request } from '../netlink/encode.ts'
import type { RequestKind } from '../netlink/request.ts'

/** Function that returns the kernel's answer to one request, or throws the kernel's error. */
type Answer = () => Message[]

/** Thrown to interrupt an operation until an answer arrives. Operations catch only `NetnsError`. */
class Unanswered {
  readonly kind: RequestKind
  readonly request: Request

  constructor(kind: RequestKind, request: Request) {
    this.kind = kind
    this.request = request
  }
}

/**
 * Runs a synchronous operation over an asynchronous netlink socket. Runs the operation again after each answer of the
 * kernel.
 */
export async function performLater<T>(
  operation: (channel: RequestChannel) => T,
  ask: (kind: RequestKind, request: Request) => Promise<Message[]>,
): Promise<T> {
  const answers: Answer[] = []
  for (;;) {
    try {
      return operation(replaying(answers))
    } catch (missing) {
      if (!(missing instanceof Unanswered)) throw missing
      answers.push(await settled(ask(missing.kind, missing.request)))
    }
  }
}

function replaying(answers: readonly Answer[]): RequestChannel {
  let asked = 0
  const replies = (kind: RequestKind, request: Request): Message[] => {
    const answer = answers[asked++]
    if (answer === undefined) throw new Unanswered(kind, request)
    return answer()
  }
  return {
    get: (request) => firstOf(replies('get', request), request.what),
    ask: (request) => replies('ask', request),
    dump: (request) => replies('dump', request),
  }
}

async function settled(promise: Promise<Message[]>): Promise<Answer> {
  try {
    const messages = await promise
    return () => messages
  } catch (error) {
    return () => {
      throw error
    }
  }
}
