import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { truncateSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { times } from '../../../../../test/deep.ts'
import { AGENT, type AgentNode, agentNode, ask, calico, eventually, freePort } from '../../stage/agent-node.ts'

const RUNS = Number(process.env.CNI_SIGNAL_RUNS ?? times(10))
const SEED = Number(process.env.CNI_SIGNAL_SEED ?? 7)

/** Activity around the agent until it ends. */
type Activity = (node: AgentNode) => Promise<{ readonly env: Record<string, string>; stop(): void }>

const activities: readonly (readonly [name: string, latestMs: number, Activity])[] = [
  ['at its start', 150, async () => quiet],
  [
    'in a copy of 112 MB',
    400,
    async (node) => {
      node.write('src/large', '')
      truncateSync(node.path('src/large'), 112_000_000)
      return quiet
    },
  ],
  [
    'while the API server says nothing',
    400,
    async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const env = {
        REPAIR_LABEL_PODS: 'true',
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: `${port}`,
      }
      return { env, stop: () => void server.close() }
    },
  ],
  [
    'while an invalid conflist is written again and again',
    600,
    async (node) => writer(node, [calico.slice(0, 40), '{}']),
  ],
  [
    'while its conflist is reverted and cut short by turns',
    600,
    async (node) => writer(node, [calico, calico.slice(0, 40)]),
  ],
]

const quiet = { env: {}, stop: () => {} }

/** Writes the conflist without a pause until it is stopped. The file is complete at the end. */
function writer(node: AgentNode, texts: readonly string[]) {
  let count = 0
  const timer = setInterval(() => node.write('net/10-calico.conflist', texts[count++ % texts.length] ?? ''), 3)
  return { env: {}, stop: () => clearInterval(timer) }
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const next = random(SEED)
const rows = Array.from({ length: RUNS }, (_, index) => {
  const row = activities[index % activities.length]
  if (row === undefined) throw new Error('no surroundings')
  const [name, latestMs, activity] = row
  return [name, Math.round(next() * latestMs), activity] as const
})

test.for(rows)(
  'TERM %s, after %i ms: exit 0 within a second, and nothing of ours is left',
  async ([, ms, activity]) => {
    await using node = agentNode()
    const { env, stop } = await activity(node)
    const known = node.names()
    const agent = await node.start({ env, atOnce: true })
    await delay(ms)
    const start = performance.now()
    agent.kill('SIGTERM')
    const { code, signal } = await agent.exit
    const took = performance.now() - start
    stop()
    expect(took, agent.log()).toBeLessThan(1000)
    // A process cannot catch a signal before its first line of code. It has written nothing by then.
    if (signal === 'SIGTERM') expect([agent.log(), node.names()]).toEqual(['', known])
    else expect([code, agent.log()]).toEqual([0, expect.not.stringContaining('was left')])
    expect(node.read('net/10-calico.conflist')).not.toContain('istio-cni')
    const left = node
      .names()
      .filter((name) => !known.includes(name) && name !== 'bin/istio-lib.so' && name !== 'bin/large')
    expect(left, agent.log()).toEqual([])
  },
)

test('TERM ends an agent with slow clients', async () => {
  await using node = agentNode()
  const port = await freePort()
  const agent = await node.start({ env: { MONITORING_PORT: String(port) } })
  await eventually(agent.ready, () => agent.log())
  const clients = [connect(agent.port, '127.0.0.1'), connect(port, '127.0.0.1'), connect(node.path('run/log.sock'))]
  await Promise.all(clients.map((client) => once(client, 'connect')))
  for (const client of clients) {
    client.on('error', () => {}).write('POST /log HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n[')
  }
  const start = performance.now()
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(performance.now() - start).toBeLessThan(1000)
  expect(node.read('net/10-calico.conflist')).toBe(calico)
})

test('TERM ends an agent whose log output is not read', async () => {
  await using node = agentNode()
  const child = spawn(AGENT, { env: node.env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  child.stdout.pause()
  const socketPath = node.path('run/log.sock')
  const log = (body: string) => ask({ socketPath, path: '/log', method: 'POST', body })
  await eventually(async () => (await log('[]')).status === 200, 'a log socket')
  const line = JSON.stringify({ level: 'info', time: '2026-01-02T03:04:05Z', msg: 'x'.repeat(500_000) })
  for (let count = 0; count < 8; count += 1) await log(JSON.stringify([line]))
  const start = performance.now()
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  expect(performance.now() - start).toBeLessThan(1000)
  expect(node.read('net/10-calico.conflist')).toBe(calico)
})
