import { setTimeout as sleep } from 'node:timers/promises'
import type { watchReadable } from '../ready/readable.ts'
import { decodeMessages, type Message } from './decode.ts'
import type { NetlinkSocket } from './socket.ts'

/**
 * Yields the events of a netlink socket, one datagram at a time. Throws `NetnsError('PROTOCOL')` for bytes that are not
 * netlink messages. Also throws the errors of `watch`.
 *
 * @example using socket = openNetlinkSocket(pod, NETLINK_NETFILTER, { groups: [NFNLGRP_NFTABLES] }) for await (const {
 *   messages, lost } of events(socket, { signal })) if (lost || messages.some(isOurs)) await reread()
 */
export async function* events(
  socket: NetlinkSocket,
  {
    signal,
    interval = 10,
    watch,
  }: {
    /** AbortSignal that ends the iteration. */
    readonly signal?: AbortSignal | undefined
    /** Milliseconds between two reads of the netlink socket. Default: 10. */
    readonly interval?: number | undefined
    /**
     * Function that waits for events without polling. Pass `watchReadable`, which works on the main thread only.
     * Default: polls at each `interval`.
     */
    readonly watch?: typeof watchReadable | undefined
  } = {},
): AsyncGenerator<
  {
    readonly messages: readonly Message[]
    /**
     * True if the kernel dropped events because the socket's buffer was full (ENOBUFS). Read the kernel's state again
     * after a loss. `messages` contains all events that were still in the buffer.
     */
    readonly lost: boolean
  },
  void,
  void
> {
  const readable = watch?.(socket.fd)
  try {
    while (signal?.aborted !== true) {
      const received = socket.receive()
      if (received === 'none') await (readable?.next(signal) ?? pause(interval, signal))
      else if (received === 'lost') yield { messages: drain(socket), lost: true }
      else yield { messages: decodeMessages(received), lost: false }
    }
  } finally {
    readable?.[Symbol.dispose]()
  }
}

// Maximum number of datagrams to read after a loss. The kernel may send faster than this process reads.
const MAX_DRAINED = 10_000

function drain(socket: NetlinkSocket): Message[] {
  const messages: Message[] = []
  for (let left = 0; left < MAX_DRAINED; left++) {
    const received = socket.receive()
    if (received === 'none') break
    if (received !== 'lost') messages.push(...decodeMessages(received))
  }
  return messages
}

/** Waits for the given milliseconds, or until the AbortSignal aborts. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(ms, undefined, signal && { signal }).catch(() => {})
