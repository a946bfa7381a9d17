import { isMainThread } from 'node:worker_threads'
import type { NetnsTarget } from '@cni/netns'
import { type EventOptions, type NetlinkSocket, watchReadable } from '@cni/netns/netlink'
import { openCommits } from '../wire/commits.ts'
import { type Nft, openNft } from '../wire/nft.ts'

/** How to listen. */
export interface ListenOptions extends WaitOptions {
  /** Sockets for all that is asked and heard, which stay open: for tests, those of a fake kernel. */
  readonly sockets?: ListenSockets | undefined
}

/** How long, and how to wait. */
export interface WaitOptions {
  /** Ends it. Default: the signal of the context. */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds between two looks at what the kernel told. Default: none, the kernel says when there is something; on a
   * worker thread 10.
   */
  readonly interval?: number | undefined
}

/** Two sockets of the same kernel. */
export interface ListenSockets {
  readonly nft: Nft
  /** Hears of every transaction: of a fake, `nfnetlink({ events: true })`. */
  readonly events: NetlinkSocket
}

/** Sockets to ask and to hear with. */
export interface Listening extends Disposable {
  readonly nft: Nft
  readonly socket: NetlinkSocket
  /** How to wait for what is heard. */
  until(signal: AbortSignal | undefined): EventOptions
}

/** Opens what is not given. What happens from now on is heard. */
export function listen(target: NetnsTarget, { sockets, interval }: ListenOptions): Listening {
  if (sockets !== undefined) {
    const { nft, events: socket } = sockets
    return { nft, socket, until: (signal) => waiting(socket, { signal, interval }), [Symbol.dispose]() {} }
  }
  const nft = openNft(target)
  try {
    const socket = openCommits(target)
    return {
      ...{ nft, socket },
      until: (signal) => waiting(socket, { signal, interval }),
      [Symbol.dispose]() {
        socket.close()
        nft.close()
      },
    }
  } catch (error) {
    nft.close()
    throw error
  }
}

/** Waits for the kernel's word, where that can be had. */
export function waiting({ fd }: NetlinkSocket, { signal, interval }: WaitOptions): EventOptions {
  const isTold = interval === undefined && isMainThread && fd >= 0
  return { signal, interval, ...(isTold ? { watch: watchReadable } : undefined) }
}
