import { closeSync } from 'node:fs'
import { watch } from '../ready/readiness.ts'
import { checked, socketCalls } from '../ready/socket-calls.ts'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { unixAddress } from './address.ts'
import { admissionTo } from './admission.ts'
import type { connectUnix } from './connect.ts'
import type { UnixConnection } from './connection.ts'
import { AF_UNIX, SOCK_NONBLOCK } from './constants.ts'
import { inRange, settingsOf } from './options.ts'
import { bindTo } from './socket-file.ts'

const BACKLOG = 511
/** Number of connections that a listener accepts before it yields to the event loop. */
const CONNECTIONS_PER_YIELD = 64

/**
 * Listens on a unix socket. The listener keeps the process alive until `close`. Replaces an existing socket at the
 * path, even if a running process listens there.
 *
 * Throws `NetnsError`:
 * - `INVALID`, `NO_FFI`, `NOT_MAIN_THREAD`
 * - `EXISTS`: the path is another kind of file
 * - an errno name: the folder is missing or not writable
 *
 * @example
 * using listener = listenUnix('/run/agent.sock', {
 *   allow: ({ uid }) => uid === 0,
 *   async onConnection(connection) {
 *     using it = connection
 *     for await (using message of it) await it.send(answerTo(message.bytes))
 *   },
 *   onError: (error) => log.warn(String(error)),
 * })
 */
export function listenUnix(
  path: string,
  options: NonNullable<Parameters<typeof connectUnix>[1]> & {
    /** Permissions of the socket's file. Processes with write permission may connect. Default: 0o600. */
    readonly mode?: number | undefined
    /**
     * Decides whether a peer process may connect. Default: only the permissions of the socket's file decide. The
     * listener closes refused connections at once.
     */
    readonly allow?: ((peer: UnixConnection['peer']) => boolean) | undefined
    /** Maximum number of open connections. The listener closes further connections at once. Default: 128. */
    readonly maxConnections?: number | undefined
    /**
     * Called with each new connection, which the callback must close. If the callback throws or rejects, the listener
     * closes the connection and calls `onError`.
     */
    readonly onConnection: (connection: UnixConnection) => void | Promise<void>
    /**
     * Called with the error of one connection; other connections continue.
     * - `NetnsError` `REFUSED`: the process may not connect, or there are too many connections
     * - a `SysError` such as `EMFILE`: the client is disconnected
     * - an error of `onConnection`
     */
    readonly onError: (error: unknown) => void
  },
): Disposable & {
  readonly path: string
  /** Number of open connections of the listener. */
  readonly connections: number
  /** Stops listening and removes the socket's file; open connections continue. A second call does nothing. */
  close(): void
} {
  const { mode = 0o600, maxConnections = 128, allow = () => true, onConnection, onError } = options
  const settings = settingsOf(options)
  inRange('mode', mode, 0, 0o777)
  inRange('maxConnections', maxConnections, 1, 1_000_000)
  const address = unixAddress(path)
  const fd = loadSys().socket(AF_UNIX, settings.socketType | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
  const undo = [() => closeSync(fd)]
  const close = (): void => {
    for (const step of undo.splice(0).reverse()) step()
  }
  try {
    const removeFile = bindTo(fd, path, address, mode)
    undo.push(removeFile)
    checked(socketCalls().functions.listen(fd, BACKLOG), 'listen', `on ${path}`)
    const admission = admissionTo(fd, settings, { path, maxConnections, allow, onConnection, onError })
    undo.push(admission.close)
    const watched = watch(fd, () => {
      // Stops accepting connections if the handler of an earlier connection has closed the listener.
      for (let count = 0; undo.length > 0 && admission.acceptOne(); count++) {
        if (count === CONNECTIONS_PER_YIELD) return watched.again()
      }
    })
    undo.push(watched.end)
    return {
      path,
      get connections() {
        return admission.connections
      },
      close,
      [Symbol.dispose]: close,
    }
  } catch (error) {
    close()
    throw error
  }
}
