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
  /** The next ztunnel that connects, after its hello. */
  accepted(): Promise<RawAgentConnection>
}

/** What the agent says to one ztunnel, and hears of it. */
export interface RawAgentConnection {
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
  const listener = listenUnix(path, {
    onConnection: (connection) => void connections.push(connection),
    onError: (error) => {
      throw error
    },
  })
  let taken = 0
  return {
    path,
    async accepted() {
      await expect.poll(() => connections.length, patience).toBeGreaterThan(taken)
      const connection = connections[taken++]
      if (connection === undefined) throw new Error('no connection')
      using hello = await connection.receive()
      expect(decodeHello(hello?.bytes ?? Buffer.of())).toEqual({ version: 1 })
      const answer = async (): Promise<string | undefined> => {
        using message = await connection.receive()
        return message === undefined ? undefined : decodeAck(message.bytes)?.error
      }
      return {
        answer,
        async ask(bytes, fds) {
          await connection.send(bytes, fds)
          return await answer()
        },
        close: () => connection.close(),
      }
    },
    [Symbol.dispose]() {
      listener.close()
      for (const connection of connections) connection.close()
      rmSync(folder, { recursive: true })
    },
  }
}
