import { fstatSync } from 'node:fs'
import { connectUnix, type UnixConnection } from '@cni/netns/unix'
import { decodeRequest, encodeAck, encodeHello, type ReceivedRequest } from '../../src/zds/wire-of-ztunnel.ts'

/** A message as it came, with the inodes of what came with it. */
export interface Told {
  readonly request: ReceivedRequest | undefined
  readonly namespaces: readonly bigint[]
}

/** A ztunnel that says and answers only what a test says: whatever a real one would not do, too. */
export interface RawZtunnel extends Disposable {
  readonly connection: UnixConnection
  say(bytes: Uint8Array, fds?: readonly number[]): Promise<void>
  hello(): Promise<void>
  ack(error?: string): Promise<void>
  /** The next message, `undefined` when the agent has closed the connection. */
  next(): Promise<Told | undefined>
  /** Says hello, acks all there is until the snapshot is over, and returns it. */
  join(): Promise<Told[]>
  /** Acks all there is until the connection is closed; `told` grows. */
  obey(told?: Told[]): Promise<Told[]>
}

/** Connects, and says nothing. */
export function rawZtunnel(path: string): RawZtunnel {
  const connection = connectUnix(path)
  const say: RawZtunnel['say'] = (bytes, fds) => connection.send(bytes, fds)
  const hello = () => say(encodeHello({ version: 1 }))
  const ack = (error = '') => say(encodeAck({ error }))
  const next = async (): Promise<Told | undefined> => {
    using message = await connection.receive()
    if (message === undefined) return undefined
    const namespaces = message.fds.map((fd) => fstatSync(fd, { bigint: true }).ino)
    return { request: decodeRequest(message.bytes), namespaces }
  }
  return {
    connection,
    say,
    hello,
    ack,
    next,
    async join() {
      const told: Told[] = []
      await hello()
      for (let each = await next(); each !== undefined; each = await next()) {
        told.push(each)
        await ack()
        if (each.request?.type === 'snapshotSent') break
      }
      return told
    },
    async obey(told = []) {
      for (let each = await next(); each !== undefined; each = await next()) {
        told.push(each)
        await ack()
      }
      return told
    },
    [Symbol.dispose]: () => connection.close(),
  }
}
