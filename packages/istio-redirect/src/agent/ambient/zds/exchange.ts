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

/** A message that adds a pod goes with its namespace, no other one with anything. */
export type WithNetns<R> = R extends AddRequest ? R & { readonly netns: Netns } : R

/** The first part of a conversation. Every message is answered, in order; nothing else is said. */
export interface SnapshotExchange {
  send(request: WithNetns<SnapshotRequest>): Promise<void>
  /** The next answer. */
  answer(): Promise<Ack>
  /** Says that these were all, and begins the second part. */
  finish(): Promise<LiveExchange>
}

/** The second part of a conversation: what ends a ztunnel now cannot be said any more. */
export interface LiveExchange {
  /** Sends a message, and waits for its answer. */
  ask(request: WithNetns<ChangeRequest>): Promise<Ack>
  /** Settles when the signal is aborted. Rejects when the ztunnel goes, or says something. */
  idle(signal: AbortSignal): Promise<void>
}

/** How long a ztunnel may take, in milliseconds. */
export interface Patience {
  readonly helloMs: number
  readonly answerMs: number
}

/** Waits for a ztunnel's hello, of any version. What rejects, here and later, is a {@link ZdsError}. */
export async function greet(packets: Packets, { helloMs, answerMs }: Patience): Promise<SnapshotExchange> {
  await packets.next('hello', helloMs, decodeHello)
  const answer = async (): Promise<Ack> => {
    const ack = await packets.next('answer', answerMs, decodeAck)
    if (ack === undefined) throw packets.fail('PROTOCOL', 'its answer is no ack')
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
