import { connectUnixBlocking, peerOf, type UnixStream } from '@cni/netns/unix'
import { messageOf } from '@cni/types'
import { readAnswer } from './answer.ts'
import { frameReader } from './frame.ts'
import { ACCEPTED, MAX_ANSWER, type NamespaceFacts, PATIENCE, type ServeAnswer, type ServeRequest } from './protocol.ts'
import { encodeDone, encodeFacts, encodeRequest } from './request.ts'

/** What an agent is asked. */
export interface Question {
  readonly request: ServeRequest
  /**
   * Finds out about the namespace, while the agent looks at the pod. `isAnswered` says whether it has answered already: then
   * nobody needs the rest, and what is found may be `undefined`.
   */
  facts(isAnswered: () => boolean): Promise<NamespaceFacts | undefined>
  /** Done when the agent has the facts, and makes its answer of them. */
  meanwhile?(): Promise<unknown>
}

/** An agent that has answered. */
export interface Answered extends Disposable {
  readonly answer: ServeAnswer
  /** Says that the call was done as answered, and closes the connection; whether somebody may have heard it. */
  done(ms: number): boolean
  /** Closes the connection; a second call does nothing. */
  close(): void
}

/** Why there is no answer, for the log. */
export interface Unanswered {
  readonly answer?: never
  readonly reason: string
}

/**
 * Asks the agent behind a socket, and waits no longer than {@link PATIENCE}. Never rejects: whatever the other side does or
 * is, the worst of it is that there is no answer; nor where the facts cannot be found. What waits gives way to timers and
 * signals every 20 ms.
 */
export async function askAgent(
  socket: string,
  { request, facts, meanwhile }: Question,
  call: Interruptible,
): Promise<Answered | Unanswered> {
  let stream: UnixStream | undefined
  try {
    stream = connectUnixBlocking(socket)
    // Who may listen there may do all that an answer leads to; others may not.
    const { uid } = peerOf(stream.fd)
    if (uid !== 0 && uid !== process.geteuid?.()) throw new Error(`user ${uid} listens there`)
    stream.send(encodeRequest(request), PATIENCE.accepted)
    const expected = expectedAnswer(stream)
    const found = await facts(() => expected.isThere())
    if (found !== undefined) {
      sendTo(stream, encodeFacts(found))
      await meanwhile?.()
    }
    return answered(stream, await expected.wait(call))
  } catch (error) {
    stream?.close()
    return { reason: messageOf(error) }
  }
}

// internal

/** A call that may end before it is answered. Its signal is made when it is asked for, which takes 20 µs. */
interface Interruptible {
  readonly signal: AbortSignal
}

/** The answer that a stream is to bring. Each method throws for what is no answer, and where none can come any more. */
interface ExpectedAnswer {
  /** Looks once. */
  isThere(): boolean
  wait(call: Interruptible): Promise<ServeAnswer>
}

function expectedAnswer(stream: UnixStream): ExpectedAnswer {
  const reader = frameReader(MAX_ANSWER)
  let until = performance.now() + PATIENCE.accepted
  let accepted = false
  let answer: ServeAnswer | undefined
  /** Whether there was something. */
  const take = (received: Uint8Array | 'waiting' | 'over'): boolean => {
    if (received === 'waiting') return false
    if (received === 'over') throw new Error(accepted ? 'half an answer' : 'it has hung up')
    let piece = received
    if (!accepted) {
      if (piece[0] !== ACCEPTED) throw new Error('something else listens there')
      accepted = true
      until = performance.now() + PATIENCE.answer
      piece = piece.subarray(1)
    }
    const frame = reader.push(piece)
    if (frame === undefined) return true
    answer = readAnswer(frame)
    if (answer === undefined || reader.isHalf()) throw new Error('an answer that is none')
    return true
  }
  return {
    isThere() {
      take(stream.receiveNow())
      return answer !== undefined
    },
    async wait(call) {
      let gaveWayAt = performance.now()
      while (answer === undefined) {
        const isMore = take(stream.receive())
        const now = performance.now()
        if (answer !== undefined) break
        // Also while something comes: an agent that drips would be waited for without an end.
        if (now >= until) throw new Error(accepted ? 'no answer in time' : 'not accepted in time')
        if (isMore && now - gaveWayAt < BLOCKING_MS) continue
        await new Promise((resolve) => setImmediate(resolve))
        gaveWayAt = performance.now()
        call.signal.throwIfAborted()
      }
      return answer
    },
  }
}

/** Milliseconds that timers and signals wait at most. */
const BLOCKING_MS = 20

/** One that has refused has hung up; its answer is there all the same. */
function sendTo(stream: UnixStream, bytes: Uint8Array): void {
  try {
    stream.send(bytes)
  } catch {
    // What is read next says what has become of it.
  }
}

function answered(stream: UnixStream, answer: ServeAnswer): Answered {
  const close = () => stream.close()
  return {
    answer,
    done(ms) {
      try {
        stream.sendNow(encodeDone(ms))
        return true
      } catch {
        return false
      } finally {
        close()
      }
    },
    close,
    [Symbol.dispose]: close,
  }
}
