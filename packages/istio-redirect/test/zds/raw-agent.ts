import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listenUnix, type UnixConnection } from '@cni/netns/unix'
import { expect } from 'vitest'
import { decodeAck, decodeHello } from '../../src/zds/wire.ts'

const patience = { timeout: 20_000 }

/** An agent that says only what a test says: whatever a real one never would, too. */
export interface RawAgent extends Disposable {
  readonly path: string
  /** Its socket is gone, and all connections are closed. */
  leave(): void
  /** Its socket is there again. */
  listen(): void
  /** The next ztunnel that connects, after its hello. */
  accepted(): Promise<RawAgentConnection>
}

/** What the agent says to one ztunnel, and hears of it. */
export interface RawAgentConnection {
  /** What ztunnel said first. */
  readonly hello: Buffer
  /** Says it, and waits for nothing. */
  say(bytes: Uint8Array, fds?: readonly number[]): Promise<void>
  /** What ztunnel says next; `undefined`: it has closed the connection. */
  hear(): Promise<Buffer | undefined>
  /** Says it, and returns the error of the answer; `undefined`: ztunnel has closed the connection. */
  ask(bytes: Uint8Array, fds?: readonly number[]): Promise<string | undefined>
  /** The error of the next answer; `undefined`: ztunnel has closed the connection. */
  answer(): Promise<string | undefined>
  close(): void
}

/** Listens. */
export function rawAgent(): RawAgent {
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
    leave,
    listen() {
      listener = listenHere()
    },
    async accepted() {
      await expect.poll(() => connections.length, patience).toBeGreaterThan(taken)
      const connection = connections[taken++]
      if (connection === undefined) throw new Error('no connection')
      const hear = async (): Promise<Buffer | undefined> => {
        using message = await connection.receive()
        return message === undefined ? undefined : Buffer.from(message.bytes)
      }
      const hello = (await hear()) ?? Buffer.of()
      expect(decodeHello(hello)).toEqual({ version: 1 })
      const answer = async (): Promise<string | undefined> => {
        const bytes = await hear()
        return bytes === undefined ? undefined : decodeAck(bytes)?.error
      }
      const say: RawAgentConnection['say'] = (bytes, fds) => connection.send(bytes, fds)
      return {
        hello,
        say,
        hear,
        answer,
        async ask(bytes, fds) {
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
