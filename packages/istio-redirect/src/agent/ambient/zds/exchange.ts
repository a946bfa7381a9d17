import type { Netns } from '@cni/netns'
import {
  type Ack,
  type AddRequest,
  type ChangeRequest,
  decodeAck,
  decodeHello,
  type SnapshotRequest,
} from '../../../zds/wire.ts'
import { messageFor } from './messages.ts'
import type { Packets } from './packets.ts'

/** Message to ztunnel. A message that adds a pod also has the pod's namespace. */
export type WithNetns<R> = R extends AddRequest ? R & { readonly netns: Netns } : R

/** First part of the conversation with a ztunnel: the snapshot of all pods. ztunnel answers every message in order. */
export interface SnapshotExchange {
  send(request: WithNetns<SnapshotRequest>): Promise<void>
  /** Receives the next answer. */
  answer(): Promise<Ack>
  /** Ends the snapshot and begins the second part. */
  finish(): Promise<LiveExchange>
}

/** Second part of the conversation with a ztunnel: changes after the snapshot. */
export interface LiveExchange {
  /** Sends a message and waits for the ztunnel's answer. */
  ask(request: WithNetns<ChangeRequest>): Promise<Ack>
  /** Resolves when the signal aborts. Rejects if the ztunnel disconnects or sends anything. */
  idle(signal: AbortSignal): Promise<void>
}

/** Deadlines for the answers of a ztunnel, in milliseconds. */
export interface Patience {
  readonly helloMs: number
  readonly answerMs: number
}

/** Waits for a ztunnel's hello, of any version. All rejections, also later ones, are {@link ZdsError}s. */
export async function greet(packets: Packets, { helloMs, answerMs }: Patience): Promise<SnapshotExchange> {
  await packets.next('hello', helloMs, decodeHello)
  const answer = async (): Promise<Ack> => {
    const ack = await packets.next('answer', answerMs, decodeAck)
    if (ack === undefined) throw packets.fail('PROTOCOL', 'its answer is not an ack')
    return ack
  }
  const send = (request: WithNetns<SnapshotRequest | ChangeRequest>): Promise<void> =>
    packets.send(messageFor(request), request.type === 'add' ? [request.netns.fd] : [])
  const live: LiveExchange = {
    async ask(request) {
      await send(request)
      return answer()
    },
    idle: (signal) => packets.nothing(signal),
  }
  return {
    send,
    answer,
    async finish() {
      await packets.send(messageFor({ type: 'snapshotSent' }), [])
      await answer()
      return live
    },
  }
}
