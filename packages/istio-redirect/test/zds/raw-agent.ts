import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listenUnix, type UnixConnection } from '@cni/netns/unix'
import { expect } from 'vitest'
import { decodeAck, decodeHello } from '../../src/zds/wire.ts'

const pollOptions = { timeout: 20_000 }

/** Stand-in for the agent that sends ztunnel any messages, also invalid ones. */
export type RawAgent = ReturnType<typeof rawAgent>

/** Connection of the agent stand-in to one ztunnel. */
export type RawAgentConnection = Awaited<ReturnType<RawAgent['accepted']>>

/** Starts a stand-in for the agent, to which a ztunnel can connect. */
export function rawAgent() {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'cni-raw-agent-'))
  const path = join(folder.path, 'ztunnel.sock')
  const connections: UnixConnection[] = []
  const listenHere = () =>
    listenUnix(path, {
      onConnection: (connection) => void connections.push(connection),
      onError: (error) => {
        throw error
      },
    })
  let listener = listenHere()
  const leave = (): void => {
    listener.close()
    for (const connection of connections) connection.close()
  }
  let taken = 0
  return {
    path,
    /** Removes the agent stand-in's socket and closes all connections, as if the agent ended. */
    leave,
    /** Creates the agent stand-in's socket again, after it was removed. */
    listen() {
      listener = listenHere()
    },
    /** Waits for the next ztunnel that connects, and for its first message, `Hello`. */
    async accepted() {
      await expect.poll(() => connections.length, pollOptions).toBeGreaterThan(taken)
      const connection = connections[taken++]
      if (connection === undefined) throw new Error('no connection')
      /** Receives ztunnel's next message; `undefined` if ztunnel has closed the connection. */
      const hear = async (): Promise<Buffer | undefined> => {
        using message = await connection.receive()
        return message === undefined ? undefined : Buffer.from(message.bytes)
      }
      const hello = (await hear()) ?? Buffer.of()
      expect(decodeHello(hello)).toEqual({ version: 1 })
      /**
       * Receives ztunnel's next answer and returns its error text; `undefined` if ztunnel has closed the connection.
       */
      const answer = async (): Promise<string | undefined> => {
        const bytes = await hear()
        return bytes === undefined ? undefined : decodeAck(bytes)?.error
      }
      /** Sends a message to ztunnel without waiting for an answer. */
      const say = (bytes: Uint8Array, fds?: readonly number[]) => connection.send(bytes, fds)
      return {
        hello,
        say,
        hear,
        answer,
        /** Sends a message to ztunnel. Returns the error text of ztunnel's answer. */
        async ask(bytes: Uint8Array, fds?: readonly number[]) {
          await say(bytes, fds)
          return await answer()
        },
        close: () => connection.close(),
      }
    },
    [Symbol.dispose]() {
      leave()
      folder.remove()
    },
  }
}
