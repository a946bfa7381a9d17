import { isMainThread } from 'node:worker_threads'
import type { NetnsTarget } from '@cni/netns'
import { type events, type NetlinkSocket, watchReadable } from '@cni/netns/netlink'
import { openCommits } from '../wire/events/commits.ts'
import { type Nft, openNft } from '../wire/nft.ts'

type Wait = { readonly signal?: AbortSignal | undefined; readonly interval?: number | undefined }

/** Netlink sockets of a watcher: one for requests, one for events. */
export interface Listening extends Disposable {
  readonly nft: Nft
  readonly socket: NetlinkSocket
  /** Options for waiting for events on the event socket. */
  until(signal: AbortSignal | undefined): NonNullable<Parameters<typeof events>[1]>
}

/** Opens the netlink sockets that the caller did not pass. The event socket receives all changes after this call. */
export function listen(
  target: NetnsTarget,
  {
    sockets,
    interval,
  }: Wait & { readonly sockets?: { readonly nft: Nft; readonly events: NetlinkSocket } | undefined },
): Listening {
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

/** Options for waiting for events. Worker threads poll the socket. */
export function waiting({ fd }: NetlinkSocket, { signal, interval }: Wait): NonNullable<Parameters<typeof events>[1]> {
  const usesEpoll = interval === undefined && isMainThread && fd >= 0
  return { signal, interval, ...(usesEpoll ? { watch: watchReadable } : undefined) }
}
