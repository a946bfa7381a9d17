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
import { settingsOf, within } from './options.ts'
import { bindTo } from './socket-file.ts'

const BACKLOG = 511
/** So many connections are accepted before others have their turn. */
const TURN = 64

/**
 * Listens on a unix socket, which keeps the process alive until it is closed. A socket that is there already is replaced, also one that somebody listens on.
 * Throws `NetnsError` `INVALID`, `EXISTS` (something else is there), `NO_FFI`, `NOT_MAIN_THREAD`, or with the errno of a
 * folder that is missing or may not be written to.
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
    /** Permissions of the file; whoever may write to it may connect. Default 0o600. */
    readonly mode?: number | undefined
    /** May this process connect? Default: whoever the file lets. Those who may not are closed at once. */
    readonly allow?: ((peer: UnixConnection['peer']) => boolean) | undefined
    /** Connections at a time; those beyond are closed at once. Default 128. */
    readonly maxConnections?: number | undefined
    /** A connection, which is yours to close. When this throws or rejects it is closed, and `onError` told. */
    readonly onConnection: (connection: UnixConnection) => void | Promise<void>
    /**
     * Told of what goes wrong with one connection, which is no end of the others: `NetnsError` `REFUSED` (not allowed, or too
     * many), a `SysError` such as `EMFILE` (its client is disconnected), or what `onConnection` throws.
     */
    readonly onError: (error: unknown) => void
  },
): Disposable & {
  readonly path: string
  /** How many that it accepted are open. */
  readonly connections: number
  /** Nobody can connect any more, and the file is removed; connections stay. A second call does nothing. */
  close(): void
} {
  const { mode = 0o600, maxConnections = 128, allow = () => true, onConnection, onError } = options
  const settings = settingsOf(options)
  within('mode', mode, 0, 0o777)
  within('maxConnections', maxConnections, 1, 1_000_000)
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
      // Whoever is told of a connection may close the listener.
      for (let count = 0; undo.length > 0 && admission.acceptOne(); count++) {
        if (count === TURN) return watched.again()
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
