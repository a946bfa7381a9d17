import { fstatSync } from 'node:fs'
import { connectUnix } from '@cni/netns/unix'
import { decodeRequest, encodeAck, encodeHello, type ReceivedRequest } from '../../src/zds/wire-of-ztunnel.ts'

/** A message as it came, with the inodes of what came with it. */
export interface Told {
  readonly request: ReceivedRequest | undefined
  readonly namespaces: readonly bigint[]
}

/** A ztunnel that says and answers only what a test says: whatever a real one would not do, too. */
export type RawZtunnel = ReturnType<typeof rawZtunnel>

/** Connects, and says nothing. */
export function rawZtunnel(path: string) {
  const connection = connectUnix(path)
  const say = (bytes: Uint8Array, fds?: readonly number[]) => connection.send(bytes, fds)
  const hello = () => say(encodeHello({ version: 1 }))
  const ack = (error = '') => say(encodeAck({ error }))
  /** The next message, `undefined` when the agent has closed the connection. */
  const next = async (): Promise<Told | undefined> => {
    using message = await connection.receive()
    if (message === undefined) return undefined
    const namespaces = message.fds.map((fd) => fstatSync(fd, { bigint: true }).ino)
    return { request: decodeRequest(message.bytes), namespaces }
  }
  const obey = async (told: Told[], last?: 'snapshotSent'): Promise<Told[]> => {
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
    /** Says hello, acks all there is until the snapshot is over, and returns it. */
    async join() {
      await hello()
      return await obey([], 'snapshotSent')
    },
    /** Acks all there is until the connection is closed; `told` grows. */
    obey: (told: Told[] = []) => obey(told),
    [Symbol.dispose]: () => connection.close(),
  }
}
