import { closeSync } from 'node:fs'
import { NetnsError } from '../handle/netns-error.ts'
import { loadSys } from '../sys/load-sys.ts'
import { transmit } from './transfer.ts'

interface Waiting {
  bytes: Uint8Array
  /** Copies of the caller's descriptors, made when the message is queued. */
  fds: number[]
  resolve(): void
  reject(error: unknown): void
}

/** Queue of unsent messages of a unix socket. The peer may read more slowly than this process sends. */
export interface Outbox {
  send(bytes: Uint8Array, fds: readonly number[]): Promise<void>
  /** Sends queued messages. The caller calls `flush` when the socket has become writable. */
  flush(): void
  /** Rejects all queued messages, so that the queue sends nothing afterwards. */
  fail(error: unknown): void
}

/**
 * Creates the queue of a unix socket's unsent messages. Calls `wait` with true to wait for a writable socket, with
 * false to end the wait.
 */
export function outboxOf(fd: number, maxPending: number, wait: (isWaiting: boolean) => void): Outbox {
  const waiting: Waiting[] = []
  let pending = 0

  const dequeue = (item: Waiting): void => {
    waiting.shift()
    pending -= item.bytes.length
    closeAll(item.fds)
  }
  const attempt = (item: Waiting): boolean => {
    const sent = transmit(fd, item.bytes, item.fds)
    if (sent === 'full') return false
    if (sent === item.bytes.length) {
      dequeue(item)
      item.resolve()
      return true
    }
    // The kernel has sent the descriptors with the first byte, even if later bytes wait.
    pending -= sent
    item.bytes = item.bytes.subarray(sent)
    closeAll(item.fds)
    return true
  }
  return {
    send(bytes, fds) {
      const sent = waiting.length === 0 ? transmit(fd, bytes, fds) : 'full'
      if (sent === bytes.length) return Promise.resolve()
      if (sent === 'full' && pending + bytes.length > maxPending) {
        throw new NetnsError(
          'FULL',
          `${bytes.length} bytes are too many: ${pending} bytes are already waiting for a peer that does not read`,
        )
      }
      // Queues the unsent bytes of a partly sent message even beyond `maxPending`.
      const [rest, left] = sent === 'full' ? [bytes, fds] : [bytes.subarray(sent), []]
      return new Promise((resolve, reject) => {
        // Queues copies, because the caller may reuse the bytes and close the descriptors.
        waiting.push({ bytes: new Uint8Array(rest), fds: copiesOf(left), resolve, reject })
        pending += rest.length
        if (waiting.length === 1) wait(true)
      })
    },
    flush() {
      if (waiting.length === 0) return
      for (let item = waiting[0]; item !== undefined; item = waiting[0]) {
        try {
          if (!attempt(item)) return
        } catch (error) {
          // Rejects only the message that failed (too large, or closed descriptors). The next message may succeed.
          dequeue(item)
          item.reject(error)
        }
      }
      wait(false)
    },
    fail(error) {
      for (const item of waiting.splice(0)) {
        closeAll(item.fds)
        item.reject(error)
      }
      pending = 0
    },
  }
}

function copiesOf(fds: readonly number[]): number[] {
  const copies: number[] = []
  try {
    for (const fd of fds) copies.push(loadSys().dup(fd))
  } catch (error) {
    closeAll(copies)
    throw error
  }
  return copies
}

function closeAll(fds: number[]): void {
  for (const fd of fds.splice(0)) closeSync(fd)
}
