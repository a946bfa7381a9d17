import { readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { askAdd, requestFor } from '../../serve/serve-client.ts'
import { AGENT, AGENTS, ANY_AGENT, calico, entryOf, eventually, withEntry } from '../../stage/agent-node.ts'
import { podOf, serving } from './serving-agent.ts'

const conflist = 'net/10-calico.conflist'
const answerOf = (socket: string, name: string, more: Parameters<typeof requestFor>[1] = {}) =>
  askAdd(socket, requestFor(name, more))

/** A client that sends these bytes, and then waits until the agent closes the connection. */
function badClient(path: string, bytes: string) {
  const socket = connect(path).on('error', () => {})
  socket.resume().write(bytes)
  return { socket, end: new Promise<void>((resolve) => socket.once('close', () => resolve())) }
}

describe.each(AGENTS)('%s', (_, argv) => {
  test('serves watched pods without a request, and other pods with one request', async () => {
    await using at = await serving(argv)
    at.api.setPod(podOf('web', { uid: 'u1' }))
    at.api.setPod(podOf('plain', { uid: 'u2', isMesh: false }))
    expect(await answerOf(at.socket, 'web', { uid: 'u1' })).toMatchObject({ act: 'redirect', log: [] })
    expect(await answerOf(at.socket, 'plain', { uid: 'u2' })).toMatchObject({ act: 'skip' })
    expect(at.gets()).toBe(0)
    expect(await answerOf(at.socket, 'web')).toMatchObject({ act: 'redirect' })
    expect(at.gets()).toBe(1)
    expect(await answerOf(at.socket, 'gone', { uid: 'u3' })).toMatchObject({ act: 'refused', reason: 'pod' })
    expect(await answerOf(at.socket, 'web', { version: '0.1' })).toMatchObject({ act: 'refused', reason: 'version' })
    const metrics = await at.metrics()
    for (const line of [
      'istio_cni_served_calls_total{answer="redirect"} 2',
      'istio_cni_served_calls_total{answer="skip"} 1',
      'istio_cni_refused_calls_total{reason="pod"} 1',
      'istio_cni_refused_calls_total{reason="version"} 1',
      'istio_cni_served_pods_total{source="request"} 1',
      'istio_cni_pods_watched 1',
      'istio_cni_serve_duration_seconds_count 5',
    ]) {
      expect(metrics).toContain(`\n${line}\n`)
    }
    const { stdout } = await at.node.command('status')
    expect(stdout).toContain(`  ok    serving     ${at.socket}: pods are watched\n`)
    expect(statSync(at.socket).mode & 0o777).toBe(0o600)
  })
})

describe.each(ANY_AGENT)('%s', (_, argv) => {
  test('serves a reused pod name by its UID', async () => {
    await using at = await serving(argv)
    for (let round = 0; round < 30; round += 1) {
      const [uid, isMesh] = [`u${round}`, round % 2 === 0]
      if (round % 3 !== 0) at.api.deletePod('demo', 'web')
      at.api.setPod(podOf('web', { uid, isMesh }))
      expect([round, await answerOf(at.socket, 'web', { uid })]).toMatchObject([
        round,
        { act: isMesh ? 'redirect' : 'skip' },
      ])
    }
  })

  test('250 pods, 8 at a time, are answered while the list is healed', async () => {
    await using at = await serving(argv)
    for (let index = 0; index < 250; index += 1) at.api.setPod(podOf(`p${index}`, { uid: `u${index}` }))
    await answerOf(at.socket, 'p249', { uid: 'u249' })
    const heal = (): Promise<number> => {
      at.node.write(conflist, calico)
      const isHealed = () => at.node.read(conflist) === withEntry(calico, entryOf(at.node))
      return eventually(isHealed, () => `healed: ${at.agent.log()}`)
    }
    // The agent heals a file three times at once, then five times a second: one heal here, and two during the calls.
    const atRest = await heal()
    const left = Array.from({ length: 250 }, (_, index) => index)
    const answers: string[] = []
    const heals: number[] = []
    const lane = async (): Promise<void> => {
      for (let index = left.shift(); index !== undefined; index = left.shift()) {
        const answer = await answerOf(at.socket, `p${index}`, { uid: `u${index}` })
        answers.push(`${index}: ${answer.act}`)
        if (index === 80 || index === 160) heals.push(await heal())
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    expect(answers.sort()).toEqual(Array.from({ length: 250 }, (_, index) => `${index}: redirect`).sort())
    expect(heals).toHaveLength(2)
    // A shared machine may be slow at rest, too.
    expect(Math.min(...heals)).toBeLessThan(Math.max(50, 10 * atRest))
  })
})

// Both at once: they wait until the agent closes its connections.
test.concurrent.each(AGENTS)(
  '%s: bad clients and a hundred at once leak no descriptor, and other clients get their answers',
  async (_, argv) => {
    await using at = await serving(argv)
    at.api.setPod(podOf('web', { uid: 'u1' }))
    await answerOf(at.socket, 'web', { uid: 'u1' })
    const descriptors = () => readdirSync(`/proc/${at.agent.pid}/fd`).length
    await eventually(() => descriptors() > 0, 'descriptors')
    const before = descriptors()
    const post = (length: number, body: string) =>
      `POST /add HTTP/1.1\r\nHost: x\r\ncontent-length: ${length}\r\n\r\n${body}`
    const bad = [
      '',
      'POST /add HTT',
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
      '\u00ff'.repeat(3 * 1024 * 1024),
      post(1_000_000, 'half'),
      post(3_000_000, ' '.repeat(3_000_000)),
      post(9, '\u001b[2J'),
      post(16, '[[[[[[{}]]]]]]  '),
    ]
    const clients = Array.from({ length: 100 }, (_, index) => badClient(at.socket, bad[index % bad.length] ?? ''))
    const plugins = Array.from({ length: 100 }, () => answerOf(at.socket, 'web', { uid: 'u1' }))
    for (const answer of await Promise.all(plugins)) expect(answer).toMatchObject({ act: 'redirect' })
    for (const { socket } of clients.slice(50)) socket.destroy()
    await Promise.all(clients.map(({ end }) => end))
    await eventually(
      () => descriptors() <= before,
      () => `${descriptors()} descriptors, ${before} before`,
      20_000,
    )
    expect(await answerOf(at.socket, 'web', { uid: 'u1' })).toMatchObject({ act: 'redirect' })
    const metrics = await at.metrics()
    expect(metrics).toMatch(/connections_closed_total\{server="serve_socket",reason="long"\}/)
    expect(metrics).toMatch(/connections_closed_total\{server="serve_socket",reason="late"\}/)
    expect(at.agent.log()).not.toMatch(/internal error|\p{Cc}\[/u)
  },
)

test('a newer agent takes over the socket, and the older one takes it back', async () => {
  await using at = await serving()
  at.api.setPod(podOf('web', { uid: 'u1' }))
  const asked = () => answerOf(at.socket, 'web', { uid: 'u1' }).catch(() => undefined)
  await eventually(async () => (await asked())?.act === 'redirect', 'served')
  const older = at.agent
  const newer = await at.node.start({ env: { HEALTH_PORT: '0', EXCLUDE_NAMESPACES: 'x' } })
  await eventually(newer.ready, () => newer.log())
  await eventually(async () => !(await older.ready()), 'the older one is not ready')
  await eventually(() => at.api.watches() === 1, 'one of them watches')
  await eventually(async () => (await asked())?.act === 'redirect', 'served by the newer one')
  expect(older.log()).not.toContain('internal error')

  newer.kill('SIGTERM')
  await newer.exit
  await eventually(older.ready, () => older.log())
  await eventually(async () => (await asked())?.act === 'redirect', 'served by the older one again')
  older.kill('SIGTERM')
  expect(await older.exit).toEqual({ code: 0, signal: null })
  expect(at.node.names().filter((name) => name.endsWith('.sock'))).toEqual([])
})

test('a socket that is removed or opened to other users is made again', async () => {
  await using at = await serving()
  at.api.setPod(podOf('web', { uid: 'u1' }))
  for (const damage of ['rm', 'chmod 666']) {
    await at.node.run('sh', '-c', `${damage} ${at.socket}`)
    await eventually(
      async () =>
        (statSync(at.socket).mode & 0o777) === 0o600 &&
        (await answerOf(at.socket, 'web', { uid: 'u1' }))?.act === 'redirect',
      () => at.agent.log(),
    )
  }
})

test('without a watch each pod is one request, and status names the reason', async () => {
  await using at = await serving([AGENT], { NODE_NAME: '' })
  at.api.setPod(podOf('web', { uid: 'u1' }))
  expect(await answerOf(at.socket, 'web', { uid: 'u1' })).toMatchObject({ act: 'redirect' })
  expect([at.gets(), at.api.watches()]).toEqual([1, 0])
  expect((await at.node.command('status')).stdout).toMatch(
    /warn {2}serving .*each pod needs an API request: the name of/,
  )
})

test('SERVE_PLUGIN=false means no socket and no watch, and status reports it', async () => {
  await using at = await serving([AGENT], { SERVE_PLUGIN: 'false' })
  await expect(answerOf(at.socket, 'web')).rejects.toThrow('it does not exist')
  expect([at.api.requests, at.node.names().includes('run/serve.sock')]).toEqual([[], false])
  expect((await at.node.command('status')).stdout).toContain('  ok    serving     off: SERVE_PLUGIN is false: ')
})

test('a server that forbids the watch is reported once, and its pods are requested one by one', async () => {
  await using at = await serving([AGENT], { NODE_NAME: 'n1' })
  at.api.misbehave({ status: 403 }, { status: 403 })
  at.api.cutAll()
  await eventually(
    () =>
      at.agent.log().includes('cannot watch the pods of this node, each served pod needs an API request: GET https://'),
    () => at.agent.log(),
  )
  const status = async () => (await at.node.command('status')).stdout
  await eventually(
    async () => /warn {2}serving .*each pod needs an API request: GET .*403/.test(await status()),
    () => at.agent.log(),
  )
  await eventually(() => at.api.watches() === 1, 'watched again', 20_000)
  at.api.bookmark()
  await eventually(
    async () => (await status()).includes('pods are watched\n'),
    () => at.agent.log(),
  )
  // The cut of the watch, and the refusals.
  expect(at.agent.log().split('cannot watch the pods of this node').length - 1).toBe(2)
})
