import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listenUnix, type UnixConnection } from '@cni/netns/unix'
import { expect } from 'vitest'
import { decodeAck, decodeHello } from '../../src/zds/wire.ts'

const patience = { timeout: 20_000 }

/** A stand-in for the agent that sends arbitrary messages, also invalid ones. */
export type RawAgent = ReturnType<typeof rawAgent>

/** A connection of the agent stand-in with one ztunnel. */
export type RawAgentConnection = Awaited<ReturnType<RawAgent['accepted']>>

/** Starts the stand-in. */
export function rawAgent() {
  const folder = mkdtempSync(join(tmpdir(), 'cni-raw-agent-'))
  const path = join(folder, 'ztunnel.sock')
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
    /** Removes its socket and closes all connections. */
    leave,
    /** Makes its socket again. */
    listen() {
      listener = listenHere()
    },
    /** Waits for the next ztunnel and its hello. */
    async accepted() {
      await expect.poll(() => connections.length, patience).toBeGreaterThan(taken)
      const connection = connections[taken++]
      if (connection === undefined) throw new Error('no connection')
      /** The next message of ztunnel; `undefined` if ztunnel has closed the connection. */
      const hear = async (): Promise<Buffer | undefined> => {
        using message = await connection.receive()
        return message === undefined ? undefined : Buffer.from(message.bytes)
      }
      const hello = (await hear()) ?? Buffer.of()
      expect(decodeHello(hello)).toEqual({ version: 1 })
      /** The error of the next answer; `undefined` if ztunnel has closed the connection. */
      const answer = async (): Promise<string | undefined> => {
        const bytes = await hear()
        return bytes === undefined ? undefined : decodeAck(bytes)?.error
      }
      /** Sends a message without waiting for an answer. */
      const say = (bytes: Uint8Array, fds?: readonly number[]) => connection.send(bytes, fds)
      return {
        hello,
        say,
        hear,
        answer,
        /** Sends a message. Returns the error of the answer. */
        async ask(bytes: Uint8Array, fds?: readonly number[]) {
          await say(bytes, fds)
          return await answer()
        },
        close: () => connection.close(),
      }
    },
    [Symbol.dispose]() {
      leave()
      rmSync(folder, { recursive: true })
    },
  }
}
