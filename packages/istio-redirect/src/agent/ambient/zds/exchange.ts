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

/** Message to ztunnel. A message that adds a pod also carries the pod's network namespace. */
export type WithNetns<R> = R extends AddRequest ? R & { readonly netns: Netns } : R

/** First phase of the connection to a ztunnel: the agent sends all pods. */
export interface SnapshotExchange {
  send(request: WithNetns<SnapshotRequest>): Promise<void>
  /** Receives one answer of the ztunnel. The answer belongs to the oldest unanswered message of the snapshot. */
  answer(): Promise<Ack>
  /** Tells the ztunnel that the snapshot is complete, and begins the phase of single changes. */
  finish(): Promise<LiveExchange>
}

/** Second phase of the connection to a ztunnel: the agent sends each change of pods after the snapshot. */
export interface LiveExchange {
  /** Sends a change of a pod to the ztunnel, and waits for the ztunnel's answer. */
  ask(request: WithNetns<ChangeRequest>): Promise<Ack>
  /** Waits until the signal aborts. Rejects if the ztunnel disconnects or sends a message. */
  idle(signal: AbortSignal): Promise<void>
}

/** Deadlines for the answers of a ztunnel, in milliseconds. */
export interface Timeouts {
  readonly helloMs: number
  readonly answerMs: number
}

/** Waits for the hello message of a connected ztunnel. Rejects with a {@link ZdsError}. */
export async function greet(packets: Packets, { helloMs, answerMs }: Timeouts): Promise<SnapshotExchange> {
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
