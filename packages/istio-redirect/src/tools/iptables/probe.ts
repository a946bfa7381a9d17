import { connect, createServer, type Server, type Socket } from 'node:net'
import { messageOf } from '@cni/types'
import { pause } from '../../pause.ts'
import type { ToolLog } from './log.ts'

/** Options of {@link probe}, which tests the redirection by a connection. */
export interface ProbeOptions {
  readonly family: 'ipv4' | 'ipv6'
  /** Ports of the proxy on which a redirected connection arrives. */
  readonly ports: readonly number[]
  /** Destination port of the probe's test connection. */
  readonly probePort: number
  /** Deadline of the whole probe in milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly log: ToolLog
}

/** Tests if connections reach the proxy. The process must run as the proxy's user. */
export async function probe(options: ProbeOptions): Promise<void> {
  const { log, ports, timeoutMs, signal } = options
  log.info(
    'Starting iptables validation. This check verifies that iptables rules are properly established for the network.',
  )
  const host = hosts[options.family].listen
  let passed = () => {}
  const arrival = new Promise<void>((resolve) => {
    passed = resolve
  })
  // Client addresses of the probe's connections. The probe succeeds if both sets contain one address.
  const seen = { sent: new Set<string>(), accepted: new Set<string>() }
  const see = (where: 'sent' | 'accepted', address: string | undefined, port: number | undefined) => {
    const client = endpoint(address, port)
    seen[where].add(client)
    if (seen.sent.has(client) && seen.accepted.has(client)) passed()
  }
  const accept = (socket: Socket) => {
    // Ignores a socket error: the probe's client may have closed the connection already.
    socket.on('error', () => undefined)
    see('accepted', socket.remoteAddress, socket.remotePort)
    socket.end(`${options.probePort}`)
  }
  const servers: Server[] = []
  for (const port of new Set(ports)) {
    try {
      servers.push(await listen(host, port, accept))
      log.info(`Listening on ${endpoint(host, port)}`)
    } catch (error) {
      log.error(`Not listening on ${endpoint(host, port)}: ${messageOf(error)}`)
    }
  }
  if (servers.length === 0) {
    throw new Error(`no listener available: ${[...ports].map((port) => endpoint(host, port)).join(',')}`)
  }
  const stop = new AbortController()
  const dialling = dialEverySecond(options, (socket) => see('sent', socket.localAddress, socket.localPort), stop.signal)
  try {
    await Promise.race([arrival, expired(timeoutMs, AbortSignal.any([signal, stop.signal])), dialling])
  } finally {
    stop.abort()
    for (const server of servers) server.close()
  }
  log.info('Validation passed, iptables rules established')
}

const hosts = {
  ipv4: { listen: '127.0.0.1', dial: '127.0.0.6' },
  ipv6: { listen: '::1', dial: '::6' },
} as const

function listen(host: string, port: number, accept: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(accept)
    server.once('error', reject)
    server.listen({ host, port }, () => resolve(server))
  })
}

async function dialEverySecond(
  { family, probePort, log }: ProbeOptions,
  connected: (socket: Socket) => void,
  signal: AbortSignal,
): Promise<never> {
  const { listen: localAddress, dial } = hosts[family]
  for (;;) {
    const socket = connect({ host: dial, port: probePort, localAddress })
    socket.once('connect', () => {
      connected(socket)
      socket.end()
    })
    socket.on('error', (error) => log.error(`Error connecting to ${endpoint(dial, probePort)}: ${error.message}`))
    await pause(1000, signal)
    socket.destroy()
    if (signal.aborted) return new Promise(() => undefined)
  }
}

function expired(ms: number, signal: AbortSignal): Promise<never> {
  return pause(Math.max(0, ms), signal).then(() => {
    throw new Error('validation timeout')
  })
}

const endpoint = (address: string | undefined, port: number | undefined): string =>
  address?.includes(':') === true ? `[${address}]:${port}` : `${address}:${port}`
