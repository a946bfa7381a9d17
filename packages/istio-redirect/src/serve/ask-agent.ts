import { connectUnixBlocking, peerOf, type UnixStream } from '@cni/netns/unix'
import { messageOf } from '@cni/types'
import { readAnswer } from './answer.ts'
import { encodeFrame, FrameReader } from './frame.ts'
import { ACCEPTED, MAX_ANSWER, PATIENCE, type ServeAnswer, type ServeRequest } from './protocol.ts'
import { encodeRequest } from './request.ts'

/** An agent that has answered. */
export interface Answered extends Disposable {
  readonly answer: ServeAnswer
  /** Hands over the lines of the call's log, if there is room for them, and closes the connection. */
  tell(lines: readonly string[]): void
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
 * is, the worst of it is that there is no answer. What waits gives way to timers and signals every 20 ms.
 */
export async function askAgent(
  socket: string,
  request: ServeRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<Answered | Unanswered> {
  let stream: UnixStream | undefined
  try {
    stream = connectUnixBlocking(socket)
    // Who may listen there may do all that an answer leads to; others may not.
    const { uid } = peerOf(stream.fd)
    if (uid !== 0 && uid !== process.geteuid?.()) throw new Error(`user ${uid} listens there`)
    stream.send(encodeRequest(request))
    const answer = await answerFrom(stream, signal)
    return answered(stream, answer)
  } catch (error) {
    stream?.close()
    return { reason: messageOf(error) }
  }
}

// internal

async function answerFrom(stream: UnixStream, signal: AbortSignal): Promise<ServeAnswer> {
  const reader = new FrameReader(MAX_ANSWER)
  let until = performance.now() + PATIENCE.accepted
  let accepted = false
  for (;;) {
    let piece = stream.receive()
    if (piece === 'over') throw new Error(accepted ? 'half an answer' : 'it has hung up')
    if (piece === 'waiting') {
      if (performance.now() >= until) throw new Error(accepted ? 'no answer in time' : 'not accepted in time')
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      continue
    }
    if (!accepted) {
      if (piece[0] !== ACCEPTED) throw new Error('something else listens there')
      accepted = true
      until = performance.now() + PATIENCE.answer
      piece = piece.subarray(1)
    }
    const frame = reader.push(piece)
    if (frame === undefined) continue
    const answer = readAnswer(frame)
    if (answer === undefined || reader.isHalf) throw new Error('an answer that is none')
    return answer
  }
}

function answered(stream: UnixStream, answer: ServeAnswer): Answered {
  const close = () => stream.close()
  return {
    answer,
    tell(lines) {
      try {
        stream.sendNow(encodeFrame(lines))
      } finally {
        close()
      }
    },
    close,
    [Symbol.dispose]: close,
  }
}
