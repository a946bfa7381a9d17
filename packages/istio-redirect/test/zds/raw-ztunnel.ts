import { fstatSync } from 'node:fs'
import { connectUnix } from '@cni/netns/unix'
import {
  decodeRequest,
  encodeAck,
  encodeHello,
  type ReceivedRequest,
} from '../../src/testing/node/ztunnel/wire-of-ztunnel.ts'

/** Message that the ztunnel stand-in received from the agent, with the inodes of its file descriptors. */
export interface ReceivedMessage {
  readonly request: ReceivedRequest | undefined
  readonly namespaces: readonly bigint[]
}

/** Stand-in for ztunnel that sends the agent any messages and answers, also invalid ones. */
export type RawZtunnel = ReturnType<typeof rawZtunnel>

/** Connects the ztunnel stand-in to the agent, without sending a message. */
export function rawZtunnel(path: string) {
  const connection = connectUnix(path)
  const say = (bytes: Uint8Array, fds?: readonly number[]) => connection.send(bytes, fds)
  const hello = () => say(encodeHello({ version: 1 }))
  const ack = (error = '') => say(encodeAck({ error }))
  /** Receives the agent's next message; `undefined` if the agent has closed the connection. */
  const next = async (): Promise<ReceivedMessage | undefined> => {
    using message = await connection.receive()
    if (message === undefined) return undefined
    const namespaces = message.fds.map((fd) => fstatSync(fd, { bigint: true }).ino)
    return { request: decodeRequest(message.bytes), namespaces }
  }
  const obey = async (told: ReceivedMessage[], last?: 'snapshotSent'): Promise<ReceivedMessage[]> => {
    for (let each = await next(); each !== undefined; each = await next()) {
      told.push(each)
      await ack()
      if (last !== undefined && each.request?.type === last) break
    }
    return told
  }
  return {
    connection,
    say,
    hello,
    ack,
    next,
    /**
     * Sends ztunnel's first message, `Hello`. Acknowledges all messages of the agent's snapshot, and returns the
     * messages.
     */
    async join() {
      await hello()
      return await obey([], 'snapshotSent')
    },
    /** Acknowledges the agent's messages until the connection is closed, and appends the messages to `told`. */
    obey: (told: ReceivedMessage[] = []) => obey(told),
    [Symbol.dispose]: () => connection.close(),
  }
}
