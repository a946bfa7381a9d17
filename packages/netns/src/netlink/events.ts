import { setTimeout as sleep } from 'node:timers/promises'
import type { watchReadable } from '../ready/readable.ts'
import { decodeMessages, type Message } from './decode.ts'
import type { NetlinkSocket } from './socket.ts'

/**
 * The events of a socket's groups, datagram by datagram. Throws `NetnsError('PROTOCOL')` for bytes that are no messages,
 * and what `watch` throws.
 *
 * @example
 * using socket = openNetlinkSocket(pod, NETLINK_NETFILTER, { groups: [NFNLGRP_NFTABLES] })
 * for await (const { messages, lost } of events(socket, { signal })) if (lost || messages.some(isOurs)) await look()
 */
export async function* events(
  socket: NetlinkSocket,
  {
    signal,
    interval = 10,
    watch,
  }: {
    /** Ends the waiting, and the events. */
    readonly signal?: AbortSignal | undefined
    /** Milliseconds between two looks at the socket. Default 10. */
    readonly interval?: number | undefined
    /**
     * Instead of looks: `watchReadable`, by which the kernel says that there is something. For whoever waits long, or at
     * many sockets; it loads more, and works on the main thread only.
     */
    readonly watch?: typeof watchReadable | undefined
  } = {},
): AsyncGenerator<
  {
    readonly messages: readonly Message[]
    /**
     * Events before or among these did not fit into the socket's buffer (ENOBUFS): look at the whole again. Told once
     * there is nothing left to read, because until then the kernel drops whatever happens, and says so no more.
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
      else if (received === 'lost') yield { messages: rest(socket), lost: true }
      else yield { messages: decodeMessages(received), lost: false }
    }
  } finally {
    readable?.[Symbol.dispose]()
  }
}

// More datagrams than a buffer holds: others may be quicker than we.
const MOST_LEFT = 10_000

function rest(socket: NetlinkSocket): Message[] {
  const messages: Message[] = []
  for (let left = 0; left < MOST_LEFT; left++) {
    const received = socket.receive()
    if (received === 'none') break
    if (received !== 'lost') messages.push(...decodeMessages(received))
  }
  return messages
}

/** Ends early when the signal is given. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(ms, undefined, signal && { signal }).catch(() => {})
