import { once } from 'node:events'
import type { Netns } from '@cni/netns'
import { connectIn, serveIn, sourceOf } from '../sockets.ts'

const TIMEOUT_MS = 3000

/** Starts a TCP server that answers each message with the client's address and the message itself. */
export const startEcho = async (inside: Netns, port: number): Promise<AsyncDisposable> =>
  serveIn(inside, port, (client) => client.on('data', (data) => client.write(`${sourceOf(client)} said ${data}`)))

/** TCP connection that stays open during a test. */
export type HeldConnection = ReturnType<typeof holdConnection>

/** Opens a TCP connection that stays open during a test. */
export function holdConnection(from: Netns, host: string, port: number) {
  const socket = connectIn(from, host, port).resume()
  const ended = once(
    socket.on('error', () => {}),
    'end',
  ).then(
    () => 'the end',
    () => 'the end',
  )
  return {
    /** Sends a word over the open connection, and resolves to the server's answer. */
    say(word: string): Promise<string> {
      const late = AbortSignal.timeout(TIMEOUT_MS)
      const answer = once(socket, 'data', { signal: late }).then(
        ([data]) => String(data).trim(),
        () => (late.aborted ? 'no answer' : 'the end'),
      )
      socket.write(`${word}\n`)
      return Promise.race([ended, answer])
    },
    async [Symbol.asyncDispose]() {
      socket.destroy()
    },
  }
}
