import { closeSync } from 'node:fs'
import { NetnsError } from '../handle/netns-error.ts'
import { failed, socketCalls } from '../ready/socket-calls.ts'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { connectionFrom, type UnixConnection } from './connection.ts'
import { EAGAIN, ECONNABORTED, EINTR, EMFILE, ENFILE, SOCK_NONBLOCK } from './constants.ts'
import type { ConnectionSettings } from './options.ts'
import { peerOf } from './peer.ts'

/** Rules by which a listening unix socket accepts connections. */
export interface AdmissionRules {
  readonly path: string
  readonly maxConnections: number
  readonly allow: (peer: UnixConnection['peer']) => boolean
  readonly onConnection: (connection: UnixConnection) => void | Promise<void>
  readonly onError: (error: unknown) => void
}

/** Object that accepts the connections of a listening unix socket. */
export interface Admission {
  readonly connections: number
  /** Accepts one waiting connection of the listening socket. Returns false if no connection is waiting. */
  acceptOne(): boolean
  close(): void
}

/**
 * Accepts connections of the listening unix socket `fd`. Errors of a single connection are reported to `onError`, not
 * thrown.
 */
export function admissionTo(fd: number, settings: ConnectionSettings, rules: AdmissionRules): Admission {
  const { path, maxConnections, allow, onConnection, onError } = rules
  let connections = 0
  // Spare descriptor. If no other descriptor is free, closing it makes room to accept a connection and refuse it.
  let spare: number | undefined = loadSys().dup(fd)

  const accept = (): number => socketCalls().functions.accept4(fd, null, null, SOCK_NONBLOCK | SOCK_CLOEXEC)
  const refuseOne = (): boolean => {
    if (spare === undefined) return false
    closeSync(spare)
    const client = accept()
    if (client !== -1) closeSync(client)
    spare = copyOf(fd)
    return client !== -1
  }
  const serve = async (connection: UnixConnection): Promise<void> => {
    try {
      await onConnection(connection)
    } catch (error) {
      connection.close()
      onError(error)
    }
  }
  const admit = (client: number): UnixConnection | undefined => {
    try {
      const peer = peerOf(client)
      const isFull = connections >= maxConnections
      if (isFull || !allow(peer)) {
        const reason = isFull ? `${connections} connections are open already` : 'the option allow refused it'
        throw new NetnsError('REFUSED', `Process ${peer.pid} of user ${peer.uid} cannot connect to ${path}: ${reason}`)
      }
      const connection = connectionFrom(client, settings, () => connections--)
      connections++
      return connection
    } catch (error) {
      closeSync(client)
      onError(error)
      return undefined
    }
  }
  return {
    get connections() {
      return connections
    },
    acceptOne() {
      spare ??= copyOf(fd)
      const client = accept()
      if (client !== -1) {
        const connection = admit(client)
        if (connection !== undefined) void serve(connection)
        return true
      }
      const errno = socketCalls().errno()
      if (errno === EAGAIN) return false
      if (errno === EINTR || errno === ECONNABORTED) return true
      onError(failed('accept4', `on ${path}`))
      return (errno === EMFILE || errno === ENFILE) && refuseOne()
    },
    close() {
      if (spare !== undefined) closeSync(spare)
      spare = undefined
    },
  }
}

function copyOf(fd: number): number | undefined {
  try {
    return loadSys().dup(fd)
  } catch {
    // No descriptor is free (EMFILE). `acceptOne` tries again at the next connection.
    return undefined
  }
}
