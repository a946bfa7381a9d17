import type { NetnsTarget } from '@cni/netns'
import { events } from '@cni/netns/netlink'
import { SysError, tryLoadSys } from '@cni/netns/sys'
import { isNftError, openCommits } from '@cni/nftables/wire'
import { committedBy } from './commit-message.ts'

/** Receives the kernel's message about every nft transaction in a namespace. */
export interface CommitWatch extends Disposable {
  /**
   * Descriptor of the watch's socket. The watched program inherits it, so that this process need not wait for cleanup.
   */
  readonly fd: number
  /**
   * Resolves when the process `pid` has made `count` transactions. Never resolves if the process makes fewer
   * transactions.
   */
  committed(pid: number, count: number): Promise<void>
}

/** Starts to watch a namespace for nft transactions; `undefined` without FFI or privilege. */
export function watchCommits(target: NetnsTarget): CommitWatch | undefined {
  if (tryLoadSys() === undefined) return undefined
  const socket = subscribe(target)
  if (socket === undefined) return undefined
  const end = new AbortController()
  return {
    fd: socket.fd,
    async committed(pid, count) {
      let seen = 0
      // A lost message is harmless, because the caller also waits for the program's exit.
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
