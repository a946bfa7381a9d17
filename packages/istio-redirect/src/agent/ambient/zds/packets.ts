import type { UnixConnection, UnixMessage } from '@cni/netns/unix'
import { messageOf } from '@cni/types'
import { ZdsError } from './zds-error.ts'

/**
 * Reader and writer of messages for one ztunnel connection. An error closes the connection, because late answers could
 * match later messages.
 */
export interface Packets {
  /** Sends a message to ztunnel, with file descriptors. Rejects with a {@link ZdsError}. */
  send(bytes: Uint8Array, fds: readonly number[]): Promise<void>
  /** Receives and decodes the next message of ztunnel. Rejects with a {@link ZdsError}. */
  next<T>(what: string, ms: number, read: (bytes: Uint8Array) => T): Promise<T>
  /** Waits until the signal aborts. Rejects with a {@link ZdsError} if ztunnel sends any message before the abort. */
  nothing(signal: AbortSignal): Promise<void>
  /** Closes the connection to ztunnel, and returns the error to throw. */
  fail(code: 'TIMEOUT' | 'PROTOCOL' | 'CLOSED', problem: string, cause?: unknown): ZdsError
}

/** Creates the reader and writer of messages for a connection to ztunnel. */
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
      throw fail('CLOSED', `cannot receive from it: ${messageOf(error)}`, error)
    }
  }
  return {
    fail,
    async send(bytes, fds) {
      try {
        await connection.send(bytes, fds)
      } catch (error) {
        throw fail('CLOSED', `cannot send to it: ${messageOf(error)}`, error)
      }
    },
    async next(what, ms, from) {
      let late = false
      const timer = setTimeout(() => {
        late = true
        // Closes the connection on a timeout. The pending call of `receive` then returns.
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
          ? fail('CLOSED', 'it closed the connection')
          : fail('PROTOCOL', 'unexpected message without a request')
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error
      }
    },
  }
}
