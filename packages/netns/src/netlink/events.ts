import { decodeMessages, type Message } from './decode.ts'
import type { NetlinkSocket } from './socket.ts'

/** What the kernel told by itself. */
export interface Events {
  readonly messages: readonly Message[]
  /** Events before these did not fit into the socket's buffer (ENOBUFS): look at the whole again. */
  readonly lost: boolean
}

/** How to wait for events. */
export interface EventOptions {
  /** Ends the waiting, and the events. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds between two looks at the socket, which no runtime can be told to watch. Default 10. */
  readonly interval?: number | undefined
}

/**
 * The events of a socket's groups, datagram by datagram. Throws `NetnsError('PROTOCOL')` for bytes that are no messages.
 *
 * @example
 * using socket = openNetlinkSocket(pod, NETLINK_NETFILTER, { groups: [NFNLGRP_NFTABLES] })
 * for await (const { messages, lost } of events(socket, { signal })) if (lost || messages.some(isOurs)) await look()
 */
export async function* events(
  socket: NetlinkSocket,
  { signal, interval = 10 }: EventOptions = {},
): AsyncGenerator<Events, void, void> {
  while (signal?.aborted !== true) {
    const received = socket.receive()
    if (received === 'none') await pause(interval, signal)
    else yield received === 'lost' ? { messages: [], lost: true } : { messages: decodeMessages(received), lost: false }
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}
