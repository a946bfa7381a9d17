import type { UnixConnection, UnixMessage } from '@cni/netns/unix'
import { messageOf } from '@cni/types'
import { ZdsError } from './zds-error.ts'

/**
 * A ztunnel's messages, one by one. Whatever goes wrong closes the connection: ztunnel comes back then, and the next
 * snapshot puts right what is not known of it. To wait on would make a late answer that of another message.
 */
export interface Packets {
  /** Sends a message, with a descriptor. Rejects with a {@link ZdsError}. */
  send(bytes: Uint8Array, fds: readonly number[]): Promise<void>
  /** The next message, `what` in words. Rejects with a {@link ZdsError}, also when `read` throws. */
  next<T>(what: string, ms: number, read: (bytes: Uint8Array) => T): Promise<T>
  /** Settles when the signal is aborted. Rejects with a {@link ZdsError} when anything comes before. */
  nothing(signal: AbortSignal): Promise<void>
  /** Closes the connection; returns why. */
  fail(code: 'TIMEOUT' | 'PROTOCOL' | 'CLOSED', problem: string, cause?: unknown): ZdsError
}

/** The messages of a connection. */
export function packetsOf(connection: UnixConnection): Packets {
  const { pid } = connection.peer
  const fail: Packets['fail'] = (code, problem, cause) => {
    connection.close()
    return new ZdsError(code, `ztunnel (process ${pid}): ${problem}`, { cause })
  }
  const read = <T>(from: (bytes: Uint8Array) => T, { bytes, bytesLost, fdsLost }: UnixMessage, what: string): T => {
    if (bytesLost > 0) throw fail('PROTOCOL', `truncated message instead of its ${what}`)
    if (fdsLost) throw fail('PROTOCOL', `a descriptor with its ${what}`)
    try {
      return from(bytes)
    } catch (error) {
      throw fail('PROTOCOL', `cannot parse its ${what}: ${messageOf(error)}`, error)
    }
  }
  const receive = async (signal?: AbortSignal): Promise<UnixMessage | undefined> => {
    try {
      return await connection.receive({ signal })
    } catch (error) {
      if (signal?.aborted && error === signal.reason) throw error
      throw fail('CLOSED', `it cannot be heard: ${messageOf(error)}`, error)
    }
  }
  return {
    fail,
    async send(bytes, fds) {
      try {
        await connection.send(bytes, fds)
      } catch (error) {
        throw fail('CLOSED', `it cannot be told: ${messageOf(error)}`, error)
      }
    },
    async next(what, ms, from) {
      let late = false
      const timer = setTimeout(() => {
        late = true
        // Whoever waits below learns of it.
        connection.close()
      }, ms)
      try {
        using message = await receive()
        if (message !== undefined) return read(from, message, what)
        throw late
          ? fail('TIMEOUT', `no ${what} within ${ms / 1000} s`)
          : fail('CLOSED', 'connection closed before response received')
      } finally {
        clearTimeout(timer)
      }
    },
    async nothing(signal) {
      try {
        using message = await receive(signal)
        throw message === undefined
          ? fail('CLOSED', 'it has closed the connection')
          : fail('PROTOCOL', 'it said something that nobody asked for')
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error
      }
    },
  }
}
