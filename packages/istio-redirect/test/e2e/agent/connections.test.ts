import { once } from 'node:events'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { AGENTS, agentNode, ask, calico, entryOf, eventually, freePort, withEntry } from '../../stage/agent-node.ts'

const conflist = 'net/10-calico.conflist'
/** Starts an agent with a limit of 1024 files. Returns it with its listening addresses. */
async function limitedAgent(argv: readonly [string, ...string[]]) {
  const node = agentNode()
  const monitoring = await freePort()
  const agent = await node.start({
    file: ['prlimit', '--nofile=1024:1024', ...argv],
    env: { MONITORING_PORT: `${monitoring}` },
  })
  await eventually(agent.ready, () => agent.log())
  const socketPath = node.path('run/log.sock')
  const places: Readonly<Record<string, NetConnectOpts>> = {
    health: { port: agent.port, host: '127.0.0.1' },
    metrics: { port: monitoring, host: '127.0.0.1' },
    'log socket': { path: socketPath },
  }
  return { node, agent, monitoring, socketPath, places }
}

/** Opens a connection and sends this text. Errors of the connection are ignored. */
async function opened(where: NetConnectOpts, text: string): Promise<Socket> {
  for (;;) {
    const socket = connect(where)
    try {
      await once(socket, 'connect')
      socket.on('error', () => {}).write(text)
      return socket
    } catch {
      // // a unix socket with a full queue fails at once
    }
  }
}

describe.each(AGENTS)('with 2 000 half-open requests on each of its ports, %s', (_, argv) => {
  test('heals within a second, answers other clients, receives lines of the plugin, and ends in time', async () => {
    const { node, agent, monitoring, socketPath, places } = await limitedAgent(argv)
    const open: Socket[] = []
    try {
      for (const where of Object.values(places)) {
        for (let round = 0; round < 20; round += 1) {
          const hundred = Array.from({ length: 100 }, () => opened(where, 'POST /log HTTP/1.1\r\nHost: x\r\n'))
          open.push(...(await Promise.all(hundred)))
        }
      }
      node.write(conflist, calico)
      const healed = await eventually(
        () => node.read(conflist) === withEntry(calico, entryOf(node)),
        () => `healed: ${agent.log()}`,
      )
      expect(healed).toBeLessThan(1000)
      expect(await agent.get('/readyz?verbose')).toMatchObject({ status: 200, body: '' })
      const line = JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05Z', msg: 'a pod started' })
      const body = JSON.stringify([line])
      expect(await ask({ socketPath, path: '/log', method: 'POST', body })).toMatchObject({ status: 200 })
      await eventually(() => agent.log().includes('a pod started'), 'the line of the plugin')
      const metrics = await ask({ port: monitoring, path: '/metrics' })
      for (const server of ['health', 'metrics', 'log_socket']) {
        expect(metrics.body).toMatch(
          new RegExp(`istio_cni_agent_connections_closed_total\\{server="${server}",reason="crowded"\\} \\d{4}`),
        )
        expect(agent.log()).toMatch(/too many waiting connections/)
      }
      expect(agent.log()).not.toMatch(/EMFILE|internal error/)
      agent.kill('SIGTERM')
      const start = performance.now()
      expect(await agent.exit).toEqual({ code: 0, signal: null })
      expect(performance.now() - start).toBeLessThan(1500)
      expect(node.read(conflist)).toBe(calico)
    } finally {
      for (const socket of open) socket.destroy()
      await node[Symbol.asyncDispose]()
    }
  })
})

const silent = ''
const half = 'GET /readyz HTTP/1.1\r\nHost: x\r\n'
const whole = `${half}Connection: keep-alive\r\n\r\n`
const bodyless = 'POST /log HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n['

// Concurrent: these tests wait for time-outs.
describe.concurrent.each(AGENTS)('%s', (_, argv) => {
  test('accepts one request per connection, waits five seconds for it, and ten in all', async () => {
    const { node, agent, places } = await limitedAgent(argv)
    await using _node = node
    const rows: readonly (readonly [what: string, sent: string, everyMs: number | undefined, latestMs: number])[] = [
      ['says nothing', silent, undefined, 9000],
      ['sends half of a request', half, undefined, 9000],
      ['never ends its headers', half, 500, 9000],
      ['keeps its body back', bodyless, undefined, 13_000],
      ['sends its body bit by bit', bodyless, 500, 13_000],
      ['keeps its connection', whole, undefined, 4000],
      ['asks for many things at once', whole.repeat(100), undefined, 4000],
    ]
    const late = await Promise.all(
      Object.entries(places).flatMap(([place, where]) =>
        rows.map(async ([what, sent, everyMs, latestMs]) => {
          const start = performance.now()
          const socket = await opened(where, sent)
          const timer = everyMs === undefined ? undefined : setInterval(() => socket.write('a'), everyMs)
          const closed = new Promise((resolve) => socket.resume().once('close', resolve))
          await Promise.race([closed, delay(latestMs + 1000)])
          clearInterval(timer)
          socket.destroy()
          const ms = Math.round(performance.now() - start)
          return ms > latestMs ? [`${place}: a client that ${what} is kept for ${ms} ms`] : []
        }),
      ),
    )
    expect(late.flat()).toEqual([])
    expect(agent.log()).not.toContain('internal error')
  })

  test('answers a client whose request takes two seconds', async () => {
    const { node, places } = await limitedAgent(argv)
    await using _node = node
    const answers = await Promise.all(
      Object.values(places).map(async (where) => {
        const socket = await opened(where, half)
        await delay(2000)
        socket.write('\r\n')
        const [chunk] = await once(socket, 'data')
        return String(chunk).slice(0, 12)
      }),
    )
    expect(answers).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 404'])
  })
})
