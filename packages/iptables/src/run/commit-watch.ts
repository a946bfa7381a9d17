import type { NetnsTarget } from '@cni/netns'
import { events } from '@cni/netns/netlink'
import { SysError, tryLoadSys } from '@cni/netns/sys'
import { isNftError, openCommits } from '@cni/nftables/wire'
import { committedBy } from './commit-message.ts'

/**
 * Receives the kernel's message about every nft transaction in a namespace. Each message names the process that made
 * the transaction.
 */
export interface CommitWatch extends Disposable {
  /**
   * Descriptor of the watch's netlink socket. The started program inherits the descriptor, and so closes the socket
   * last. Only the last process to close the socket waits for the kernel's cleanup.
   */
  readonly fd: number
  /**
   * Resolves when the process has made this number of transactions. Never resolves if the process makes fewer
   * transactions.
   */
  committed(pid: number, count: number): Promise<void>
}

/**
 * Starts to watch a namespace for nft transactions. Returns `undefined` without FFI or without the privilege to receive
 * these messages.
 */
export function watchCommits(target: NetnsTarget): CommitWatch | undefined {
  if (tryLoadSys() === undefined) return undefined
  const socket = subscribe(target)
  if (socket === undefined) return undefined
  const end = new AbortController()
  return {
    fd: socket.fd,
    async committed(pid, count) {
      let seen = 0
      // Ignores lost messages: if the kernel drops one, the caller waits for the program's exit instead.
      for await (const { messages } of events(socket, { signal: end.signal, interval: 1 })) {
        for (const message of messages) if (committedBy(message) === pid) seen++
        if (seen >= count) return
      }
      return new Promise(() => {})
    },
    [Symbol.dispose]() {
      end.abort()
      socket.close()
    },
  }
}

// internal

function subscribe(target: NetnsTarget) {
  try {
    return openCommits(target)
  } catch (error) {
    if (error instanceof SysError || isNftError(error)) return undefined
    throw error
  }
}
