import { readFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'

/** Limits of the connections of one server. */
export interface ServerBounds {
  /**
   * Maximal number of connections that wait for their client's request. The server closes the longest-waiting
   * connections above the limit.
   */
  readonly waiting: number
  /** Maximal number of open connections. Enforced at once, unlike the limit `waiting`. */
  readonly burst: number
  /** Deadline in milliseconds for the headers of a request. */
  readonly headersMs: number
  /** Longest life of a connection, in milliseconds. */
  readonly totalMs: number
  /** Maximal number of bytes that one connection may send. Default 2 MiB. */
  readonly bytesOfOne?: number
  /** Maximal number of bytes that all open connections may send together. Default 8 MiB. */
  readonly bytesOfAll?: number
}

/** Reason why the server closed a connection. `crowded`: too many connections or bytes in total. */
export type CloseReason = 'crowded' | 'late' | 'long'

/** Limits of connections, and the callback for closed connections. */
export interface BoundedOptions {
  /** Called for each connection that the server closed because of a limit. */
  readonly closed?: (reason: CloseReason) => void
  /** Limits of the connections. A low limit of open files permits fewer connections. */
  readonly bounds?: ServerBounds
}

/** Phase of a connection: `silent` until its request arrives, `asking` until the response is sent, then `answered`. */
export type Phase = 'silent' | 'asking' | 'answered'

/** Open connections of a server. */
export interface BoundedConnections {
  /** Returns the phase of a connection. `undefined` if the connection is closed. */
  phaseOf(socket: Socket): Phase | undefined
  /** Sets the phase of a connection. Does nothing if the connection is closed. */
  set(socket: Socket, phase: Phase): void
  /** Counts received bytes, and closes connections that sent too many bytes. */
  received(socket: Socket, bytes: number): void
}

/** Limits a server's connections. Closes the oldest connections, so that the kubelet can still connect. */
export function boundConnections(
  server: Server,
  { closed = () => {}, bounds = boundsFor(64) }: BoundedOptions = {},
): BoundedConnections {
  const { waiting, burst, headersMs, totalMs, bytesOfOne = 2 * MIB, bytesOfAll = 8 * MIB } = bounds
  // Open connections by age, the oldest first.
  const connections = new Map<Socket, Phase>()
  const received = new Map<Socket, number>()
  let receivedOfAll = 0
  let isTrimming = false

  const forget = (socket: Socket): boolean => {
    receivedOfAll -= received.get(socket) ?? 0
    received.delete(socket)
    return connections.delete(socket)
  }
  const close = (socket: Socket, reason: CloseReason): void => {
    if (!forget(socket)) return
    socket.destroy()
    closed(reason)
  }
  const trim = (): void => {
    const waits = [...connections].filter(([, phase]) => phase !== 'answered')
    for (const [socket] of waits.slice(0, Math.max(waits.length - waiting, 0))) close(socket, 'crowded')
  }
  const trimSoon = (): void => {
    if (isTrimming) return
    isTrimming = true
    // Waits for two turns of the event loop, so that arrived data is answered first.
    setImmediate(() =>
      setImmediate(() => {
        isTrimming = false
        trim()
      }),
    )
  }
  server.on('connection', (socket) => {
    connections.set(socket, 'silent')
    // Uses one timer for two deadlines, because most connections close before the first deadline.
    let timer = setTimeout(
      () => {
        if (connections.get(socket) === 'silent' || totalMs <= headersMs) close(socket, 'late')
        else timer = setTimeout(() => close(socket, 'late'), totalMs - headersMs)
      },
      Math.min(headersMs, totalMs),
    )
    socket.on('close', () => {
      clearTimeout(timer)
      forget(socket)
    })
    const [oldest = socket] = connections.keys()
    if (connections.size > burst) close(oldest, 'crowded')
    if (connections.size > waiting) trimSoon()
  })
  return {
    phaseOf: (socket) => connections.get(socket),
    set(socket, phase) {
      if (connections.has(socket)) connections.set(socket, phase)
    },
    received(socket, bytes) {
      if (!connections.has(socket)) return
      const ofOne = (received.get(socket) ?? 0) + bytes
      received.set(socket, ofOne)
      receivedOfAll += bytes
      if (ofOne > bytesOfOne) return close(socket, 'long')
      if (receivedOfAll <= bytesOfAll) return
      // Closes the connection that sent the most bytes, because the latest sender may be the plugin.
      const [largest = socket] = [...received].reduce((most, each) => (each[1] > most[1] ? each : most))
      close(largest, 'crowded')
    },
  }
}

/** Returns limits for a server with at most `most` waiting connections. Scarce file descriptors lower the limits. */
export function boundsFor(most: number): ServerBounds {
  const waiting = Math.min(Math.max(Math.floor(descriptorLimit() / 32), 4), most)
  return { waiting, burst: 4 * waiting, headersMs: 5000, totalMs: 10_000 }
}

/** Reads the process's limit of open files. Node.js and Bun raise this limit to the hard limit when they start. */
function descriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? UNKNOWN_LIMIT)
  } catch {
    // Assumes Linux's usual limit of open files if /proc is missing.
    return UNKNOWN_LIMIT
  }
}

const UNKNOWN_LIMIT = 1024
const MIB = 1024 * 1024
