import { createServer, type Socket } from 'node:net'
import { peerOf } from '@cni/netns/unix'
import { messageOf } from '@cni/types'
import { encodeAnswer } from '../../serve/answer.ts'
import { encodeFrame, type Frame, frameReader } from '../../serve/frame.ts'
import {
  ACCEPTED,
  type Done,
  type DoneAnswer,
  MAX_REQUEST,
  type NamespaceFacts,
  type ServeAnswer,
  type ServeRequest,
} from '../../serve/protocol.ts'
import { readDone, readRequest } from '../../serve/read-request.ts'
import { type BoundedOptions, boundConnections, boundsFor, type CloseReason } from './bounded-connections.ts'
import type { ClosableServer } from './listen.ts'
import { isStatusQuestion, type ServingStatus } from './serving-status.ts'
import { type ToldFacts, toldFacts } from './told-facts.ts'
import { turns } from './turns.ts'

/** Why a connection was closed: its client is not root; and as of every server. */
export type CallCloseReason = CloseReason | 'peer'

/** What a {@link callServer} works with. */
export interface CallServerOptions extends Pick<BoundedOptions, 'bounds'> {
  /** Of these packages; the plugin has to be of the same. */
  readonly version: string
  /** Decides about a call; the signal says that its client has gone. */
  readonly answer: (
    request: ServeRequest,
    signal: AbortSignal,
    facts: () => Promise<NamespaceFacts>,
  ) => Promise<ServeAnswer>
  /** Told of each answer, and how many milliseconds after its request it was there. */
  readonly answered?: (answer: ServeAnswer, ms: number) => void
  /** Told of each answer that was done, and how many milliseconds its rules have taken. */
  readonly done?: (answer: DoneAnswer, ms: number) => void
  readonly status?: () => ServingStatus
  /** Told of each connection that was closed before its time. */
  readonly closed?: (reason: CallCloseReason) => void
}

/**
 * Answers the plugin's calls in the order in which they arrive, each on a connection of its own. Whatever a client sends,
 * or does not, costs a bounded time, and one connection.
 */
export function callServer(options: CallServerOptions): ClosableServer {
  const { version, answer, closed = () => {}, bounds = boundsFor(MOST_WAITING) } = options
  const order = turns()
  const server = createServer()
  const connections = boundConnections(server, { closed, bounds })

  server.on('connection', (socket) => {
    // A client that leaves in the middle is its own business.
    socket.on('error', () => {})
    if (!isRoot(socket)) return cut(socket, 'peer')
    const reader = frameReader(MAX_REQUEST)
    let take = (frame: Frame): void => {
      const facts = toldFacts()
      const takeLast = (last: Done | undefined): void => {
        take = () => {}
        if (last !== undefined) void answered.then((said) => said && options.done?.(said, last.done))
        // It has its answer, or it would have nothing to say.
        socket.destroy()
      }
      take = (next) => {
        const done = readDone(next)
        if (done !== undefined) return takeLast(done)
        take = (last) => takeLast(readDone(last))
        facts.take(next)
      }
      connections.set(socket, 'answered')
      const answered = call(socket, frame, facts)
    }
    socket.on('data', (piece: Buffer) => {
      if (!connections.received(socket, piece.length)) return
      try {
        for (let frame = reader.push(piece); frame !== undefined; frame = reader.push(NOTHING)) take(frame)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        cut(socket, 'long')
      }
    })
  })

  return Object.assign(server, { closeAllConnections: connections.closeAll })

  /** What was answered, where somebody can do it. */
  async function call(socket: Socket, frame: Frame, facts: ToldFacts): Promise<DoneAnswer | undefined> {
    const began = performance.now()
    if (isStatusQuestion(frame) && options.status !== undefined) {
      socket.end(encodeFrame(options.status()))
      return undefined
    }
    socket.write(ACCEPTANCE)
    const left = new AbortController()
    let isDecided = false
    socket.on('close', () => {
      if (isDecided) return
      facts.over()
      left.abort()
    })
    await order.next()
    if (socket.destroyed) return undefined
    const said = await decide(frame, left.signal, facts)
    isDecided = true
    options.answered?.(said, performance.now() - began)
    if (socket.destroyed) return undefined
    // Who is refused has nothing more to say.
    if (said.act === 'refused') socket.end(encodeAnswer(said))
    else socket.write(encodeAnswer(said))
    return said.act === 'refused' || said.act === 'error' ? undefined : said
  }

  async function decide(frame: Frame, signal: AbortSignal, facts: ToldFacts): Promise<ServeAnswer> {
    try {
      const request = readRequest(frame, version)
      return 'act' in request ? request : await answer(request, signal, facts.known)
    } catch (error) {
      return { act: 'refused', reason: 'internal', detail: messageOf(error) }
    }
  }

  function cut(socket: Socket, reason: CallCloseReason): void {
    socket.destroy()
    closed(reason)
  }
}

/** After a start of the node all of its pods come at once. */
const MOST_WAITING = 256

const NOTHING = new Uint8Array()
const ACCEPTANCE = Uint8Array.of(ACCEPTED)

/** The mode of the socket says so already, but not to whoever may pass over modes. */
function isRoot(socket: Socket): boolean {
  try {
    const { uid } = peerOf(socket)
    return uid === 0 || uid === process.geteuid?.()
  } catch {
    // closed already, or Node without FFI
    return true
  }
}
