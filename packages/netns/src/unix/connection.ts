import { closeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { NetnsError } from '../handle/netns-error.ts'
import { HANGUP, WRITABLE, watch } from '../ready/readiness.ts'
import { SCM_MAX_FD } from './constants.ts'
import type { UnixMessage } from './message.ts'
import type { ConnectionSettings } from './options.ts'
import { outboxOf } from './outbox.ts'
import { peerOf } from './peer.ts'
import { receive } from './transfer.ts'

/** One end of a unix socket connection between two processes of this machine. Keeps the process alive until `close`. */
export interface UnixConnection extends AsyncIterable<UnixMessage>, Disposable {
  /** Process at the other end of the connection. */
  readonly peer: ReturnType<typeof peerOf>
  /**
   * Resolves when the peer will send no more, or after `close`. Messages that arrived earlier can still be received.
   */
  readonly closed: Promise<void>
  /**
   * Sends a message with copies of descriptors, in the order of the calls. Resolves when the kernel has accepted the
   * message, not when the peer has read it. Waits while the peer does not read. The caller may reuse the bytes and
   * close the descriptors at once.
   *
   * Rejects with `NetnsError` or `SysError`:
   * - `CLOSED`: the connection is closed
   * - `FULL`: more than `maxPending` bytes are waiting
   * - `INVALID`: no bytes, or more than 253 descriptors
   * - `EPIPE`: the peer is gone
   * - `EMSGSIZE`: the kernel refuses a packet of this size
   * - `EBADF`: a descriptor is closed
   * - `ETOOMANYREFS`: too many descriptors are in transit
   */
  send(bytes: Uint8Array, fds?: readonly number[]): Promise<void>
  /**
   * Receives the next message, or `undefined` if no more messages will arrive. An aborted call leaves the next message
   * unread. Rejects with the AbortSignal's reason, or a `SysError`.
   */
  receive(options?: { readonly signal?: AbortSignal | undefined }): Promise<UnixMessage | undefined>
  /**
   * Yields messages of the peer until no further message will arrive. Leaving the loop does not close the connection.
   */
  [Symbol.asyncIterator](): AsyncGenerator<UnixMessage, void, void>
  /** Closes the connection and drops unread and unsent messages. A second call does nothing. */
  close(): void
}

interface Waiter {
  resolve(message: UnixMessage | undefined): void
  reject(error: unknown): void
}

/** Number of messages that a connection delivers before it yields to the event loop. */
const MESSAGES_PER_YIELD = 64

/** Creates a connection over a connected unix socket. If the call throws, the caller still owns the socket. */
export function connectionFrom(fd: number, settings: ConnectionSettings, onClose = () => {}): UnixConnection {
  const peer = peerOf(fd)
  const waiters: Waiter[] = []
  let open = true
  let ended = false
  let burst = 0
  let over = () => {}
  const closed = new Promise<void>((resolve) => {
    over = resolve
  })
  const next = (): UnixMessage | undefined | 'none' => {
    const message = ended ? undefined : receive(fd, settings)
    if (message !== undefined) return message
    ended = true
    over()
    return undefined
  }
  const deliver = (): void => {
    for (let waiter = waiters[0]; waiter !== undefined; waiter = waiters[0]) {
      try {
        const message = next()
        if (message === 'none') return
        waiter.resolve(message)
      } catch (error) {
        waiter.reject(error)
      }
      waiters.shift()
    }
  }
  const watched = watch(fd, (events) => {
    if ((events & HANGUP) !== 0) over()
    // Calls sendmsg even if the peer is gone, so that the caller gets the kernel's error.
    if ((events & (WRITABLE | HANGUP)) !== 0) outbox.flush()
    deliver()
  })
  const outbox = outboxOf(fd, settings.maxPending, watched.writable)
  const yieldIfDue = async (): Promise<void> => {
    burst = (burst + 1) % MESSAGES_PER_YIELD
    if (burst === 0) await nextTurn()
  }
  const close = (): void => {
    if (!open) return
    open = false
    watched.end()
    closeSync(fd)
    outbox.fail(new NetnsError('CLOSED', 'The unix socket was closed before everything was sent'))
    for (const waiter of waiters.splice(0)) waiter.resolve(undefined)
    over()
    onClose()
  }
  const self: UnixConnection = {
    peer,
    closed,
    async send(bytes, fds = []) {
      if (!open) throw new NetnsError('CLOSED', 'The unix socket is closed')
      if (bytes.length === 0)
        throw new NetnsError('INVALID', 'A message needs at least one byte: an empty one would mean the end')
      if (fds.length > SCM_MAX_FD) {
        throw new NetnsError(
          'INVALID',
          `${fds.length} descriptors are too many for a message: the maximum is ${SCM_MAX_FD}`,
        )
      }
      await outbox.send(bytes, fds)
      await yieldIfDue()
    },
    async receive({ signal } = {}) {
      signal?.throwIfAborted()
      if (!open) return undefined
      const message = waiters.length === 0 ? next() : 'none'
      if (message === 'none') return await waitIn(waiters, signal)
      await yieldIfDue()
      return message
    },
    async *[Symbol.asyncIterator]() {
      for (let message = await self.receive(); message !== undefined; message = await self.receive()) yield message
    },
    close,
    [Symbol.dispose]: close,
  }
  return self
}

function waitIn(waiters: Waiter[], signal: AbortSignal | undefined): Promise<UnixMessage | undefined> {
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      resolve(message) {
        signal?.removeEventListener('abort', abort)
        resolve(message)
      },
      reject(error) {
        signal?.removeEventListener('abort', abort)
        reject(error)
      },
    }
    const abort = () => {
      waiters.splice(waiters.indexOf(waiter), 1)
      waiter.reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort)
    waiters.push(waiter)
  })
}
