import { closeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { NetnsError } from '../handle/netns-error.ts'
import { OVER, WRITABLE, watch } from '../ready/readiness.ts'
import { SCM_MAX_FD } from './constants.ts'
import type { UnixMessage } from './message.ts'
import type { ConnectionSettings } from './options.ts'
import { outboxOf } from './outbox.ts'
import { peerOf } from './peer.ts'
import { receive } from './transfer.ts'

/** One end of a connection between two processes of this machine. It keeps the process alive until it is closed. */
export interface UnixConnection extends AsyncIterable<UnixMessage>, Disposable {
  /** Who is at the other end. */
  readonly peer: ReturnType<typeof peerOf>
  /**
   * Resolves as soon as the peer is gone, or will send no more, or `close` was called. What it sent before can still be
   * received.
   */
  readonly closed: Promise<void>
  /**
   * Sends a message, and copies of descriptors with it; resolves when the kernel has it, not when the peer has read it.
   * Until then it waits while the peer does not read; what is awaited does not pile up. Bytes and descriptors are yours
   * again as soon as this returns. Everything arrives in the order of the calls.
   *
   * Rejects with `NetnsError` `CLOSED`, `FULL` (more than `maxPending` bytes wait already), `INVALID` (no bytes, or more
   * than 253 descriptors), or a `SysError`: `EPIPE` (the peer is gone), `EMSGSIZE` (a packet larger than the kernel
   * takes), `EBADF`, `ETOOMANYREFS` (too many descriptors are under way).
   */
  send(bytes: Uint8Array, fds?: readonly number[]): Promise<void>
  /**
   * The next message, or `undefined` when no more will come. Nothing is read before somebody asks, so that a peer waits
   * whose messages nobody wants; and a call that is aborted, say after a time, takes no message with it. Rejects with the
   * signal's reason, or a `SysError`.
   */
  receive(options?: { readonly signal?: AbortSignal | undefined }): Promise<UnixMessage | undefined>
  /** Messages until no more will come. Leaving the loop does not close the connection. */
  [Symbol.asyncIterator](): AsyncGenerator<UnixMessage, void, void>
  /** What was not read is gone, and what was not sent. A second call does nothing. */
  close(): void
}

interface Waiter {
  resolve(message: UnixMessage | undefined): void
  reject(error: unknown): void
}

/** So many messages that need not wait are followed by a turn of the event loop: others have something to do, too. */
const TURN = 64

/** A connection over a connected socket, which stays the caller's when this throws. */
export function connectionOver(fd: number, settings: ConnectionSettings, onClose = () => {}): UnixConnection {
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
    if ((events & OVER) !== 0) over()
    // Of a peer that is gone the attempt learns it.
    if ((events & (WRITABLE | OVER)) !== 0) outbox.flush()
    deliver()
  })
  const outbox = outboxOf(fd, settings.maxPending, watched.writable)
  const turn = async (): Promise<void> => {
    burst = (burst + 1) % TURN
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
      if (bytes.length === 0) throw new NetnsError('INVALID', 'A message without bytes would be taken for the end')
      if (fds.length > SCM_MAX_FD) {
        throw new NetnsError('INVALID', `${fds.length} descriptors are too many for a message: it takes ${SCM_MAX_FD}`)
      }
      await outbox.send(bytes, fds)
      await turn()
    },
    async receive({ signal } = {}) {
      signal?.throwIfAborted()
      if (!open) return undefined
      const message = waiters.length === 0 ? next() : 'none'
      if (message === 'none') return await waitIn(waiters, signal)
      await turn()
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
