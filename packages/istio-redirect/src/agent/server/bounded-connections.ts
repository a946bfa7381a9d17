import { readFileSync } from 'node:fs'
import type { Server, Socket } from 'node:net'

/** What the clients of one server may take from the agent's work. */
export interface ServerBounds {
  /** Connections that may wait for their client: of more, those that waited longest are closed. */
  readonly waiting: number
  /** Connections at one moment. What arrives together is read before any of it counts as waiting. */
  readonly burst: number
  /** How long a request may take to begin, in milliseconds: its headers, or all of it where it has none. */
  readonly headersMs: number
  /** How long a connection lives, in milliseconds, whatever happens on it. */
  readonly totalMs: number
  /** Bytes that one connection may send. Default 2 MiB. */
  readonly bytesOfOne?: number
  /** Bytes that all open connections together may have sent: what the agent keeps of them. Default 8 MiB. */
  readonly bytesOfAll?: number
}

/** Why a connection was closed: too many waited or sent too much together, or this one took too long or sent too much. */
export type CloseReason = 'crowded' | 'late' | 'long'

/** How connections are bounded. */
export interface BoundedOptions {
  /** Told of each connection that was closed before its time. */
  readonly closed?: (reason: CloseReason) => void
  /** Default: 64 that wait, or as many as the limit of open files has room for, 5 s and 10 s. */
  readonly bounds?: ServerBounds
}

/** `silent` until its request has come, `asking` until that is answered. */
export type Phase = 'silent' | 'asking' | 'answered'

/** The connections of a server, as far as they are open. */
export interface BoundedConnections {
  /** `undefined` for one that is closed. */
  phaseOf(socket: Socket): Phase | undefined
  /** Says how far one is; nothing happens if it is closed. */
  set(socket: Socket, phase: Phase): void
  /** Counts bytes of a connection. Closes it if they are too many, or the one that sent most if all together are. */
  received(socket: Socket, bytes: number): void
  closeAll(): void
}

/**
 * Bounds the connections of a server: clients cannot keep the agent from its work, for what they leave open costs neither
 * descriptors nor memory for long. Those that come last, as kubelet may, are not the ones that are refused.
 */
export function boundConnections(
  server: Server,
  { closed = () => {}, bounds = boundsFor(64) }: BoundedOptions = {},
): BoundedConnections {
  const { waiting, burst, headersMs, totalMs, bytesOfOne = 2 * MIB, bytesOfAll = 8 * MIB } = bounds
  // the oldest first
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
    // between the two, whatever has arrived is read and answered
    setImmediate(() =>
      setImmediate(() => {
        isTrimming = false
        trim()
      }),
    )
  }
  server.on('connection', (socket) => {
    connections.set(socket, 'silent')
    // One timer at a time: most connections are closed before the first one ends.
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
      // Not the connection that sent last: it may be that of a plugin.
      const [largest = socket] = [...received].reduce((most, each) => (each[1] > most[1] ? each : most))
      close(largest, 'crowded')
    },
    closeAll() {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}

/**
 * Bounds for a server that needs no more than `most` connections that wait: fewer where few files may be open. Four servers
 * have at most half of the descriptors.
 */
export function boundsFor(most: number): ServerBounds {
  const waiting = Math.min(Math.max(Math.floor(descriptorLimit() / 32), 4), most)
  return { waiting, burst: 4 * waiting, headersMs: 5000, totalMs: 10_000 }
}

/** How many files the process may have open; the runtimes raise it to the hard limit at their start. */
function descriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? UNKNOWN_LIMIT)
  } catch {
    // no /proc: what most systems begin with
    return UNKNOWN_LIMIT
  }
}

const UNKNOWN_LIMIT = 1024
const MIB = 1024 * 1024
