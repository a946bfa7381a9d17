import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CniError } from '@cni/types'
import { afterAll, describe, expect, it } from 'vitest'
import type { AddContext } from '../definition/context.ts'
import { definePlugin, type Plugin } from '../definition/plugin.ts'
import { runPlugin } from '../run.ts'
import { fakeNetns } from '../testing/fake-netns.ts'
import type { Answer } from './answer.ts'
import type { Daemon, DaemonOptions } from './daemon.ts'
import { post } from './post.ts'
import { serveDaemon } from './serve-daemon.ts'
import { encodeCall } from './wire.ts'

const folder = mkdtempSync(join(tmpdir(), 'cni-thick-'))
afterAll(() => rmSync(folder, { recursive: true }))

const never = new AbortController().signal
const netns = { open: (path: string) => fakeNetns(path, 2), current: () => fakeNetns('/proc/self/ns/net', 1) }
const ENV = { CNI_CONTAINERID: 'c', CNI_NETNS: '/run/netns/c', CNI_IFNAME: 'eth0', CNI_PATH: '/opt/cni/bin' }
const CONF = { cniVersion: '1.0.0', name: 'n', type: 'thick' }

let sockets = 0
function serve(plugin: Partial<Plugin>, options: Partial<DaemonOptions> = {}): Promise<Daemon> {
  const whole = definePlugin({ name: 'thick', add: () => ({}), ...plugin }) as Plugin
  sockets += 1
  return serveDaemon(whole, { socket: join(folder, `${sockets}.sock`), netns, stderr: () => {}, ...options })
}

function body(command: string, conf: object = CONF, env: object = {}): string {
  return encodeCall({ env: { CNI_COMMAND: command, ...ENV, ...env }, config: Buffer.from(JSON.stringify(conf)) })
}

function ask({ socket }: Daemon, path: string, text = '', signal: AbortSignal = never): Promise<Answer> {
  return post(socket, { path, body: text, signal })
}

function get({ socket: socketPath }: Daemon, path: string, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, method }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    asked.on('error', reject).end()
  })
}

/** Handlers that wait until the test continues them. */
function gate<Argument = void>() {
  let arrive: (c: Argument) => void = () => {}
  let open: () => void = () => {}
  const arrived = new Promise<Argument>((resolve) => {
    arrive = resolve
  })
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { arrived, arrive, opened, open }
}

describe('POST /cni', () => {
  const prevResult = { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.1.2.3/24', own: 1 }], zeta: '<' }

  it.each([
    ['a result in the version of the configuration', 'ADD', { ...CONF, cniVersion: '0.2.0' }, 200],
    ['the received result with its unknown members', 'ADD', { ...CONF, cniVersion: '0.4.0', prevResult }, 200],
    ['an error of the plugin', 'ADD', { ...CONF, name: 'fails' }, 400],
    ['an error of the protocol', 'ADD', { ...CONF, name: '' }, 400],
    ['an unknown command', 'add', CONF, 400],
    ['a verb that prints nothing', 'DEL', CONF, 200],
    ['VERSION', 'VERSION', CONF, 200],
  ])('answers with the output of runPlugin: %s', async (_title, command, conf, status) => {
    const plugin = definePlugin({
      name: 'thick',
      add(c) {
        if (c.networkName === 'fails') throw new CniError(11, 'later', { details: 'd <' })
        return c.prevResult ?? { ips: [{ address: '10.1.2.3/24' }] }
      },
    })
    await using daemon = await serve(plugin)
    const answer = await ask(daemon, '/cni', body(command, conf))
    const env = { CNI_COMMAND: command, ...ENV }
    const { stdout } = await runPlugin(plugin, { env, stdin: () => JSON.stringify(conf), netns })
    expect(answer).toMatchObject({ status, body: stdout })
  })

  it('serves many calls at once and keeps them apart', async () => {
    const all = gate()
    let waiting = 0
    await using daemon = await serve({
      async add(c) {
        waiting += 1
        if (waiting === 20) all.open()
        await all.opened
        return { dns: { domain: `${c.containerID}.${c.networkName}.${c.args.get('N')}` } }
      },
    })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        ask(daemon, '/cni', body('ADD', { ...CONF, name: `n${n}` }, { CNI_CONTAINERID: `c${n}`, CNI_ARGS: `N=${n}` })),
      ),
    )
    expect(answers.map((answer) => JSON.parse(answer.body).dns.domain)).toEqual(
      Array.from({ length: 20 }, (_, n) => `c${n}.n${n}.${n}`),
    )
  })

  it("keeps the client's environment separate, and shows the daemon's own variables to handlers", async () => {
    const before = { ...process.env }
    const seen: unknown[] = []
    const add = (c: AddContext<unknown>) => {
      seen.push(c.env)
      return {}
    }
    await using daemon = await serve({ add }, { env: { PATH: '/usr/bin' } })
    const call = JSON.parse(body('ADD'))
    await ask(daemon, '/cni', JSON.stringify({ ...call, env: { ...call.env, PATH: '/evil', NODE_OPTIONS: '-x' } }))
    expect(seen).toEqual([{ CNI_COMMAND: 'ADD', ...ENV, PATH: '/usr/bin' }])
    expect({ ...process.env }).toEqual(before)
  })

  it('aborts a call at its deadline', async () => {
    await using daemon = await serve({ add: () => new Promise(() => {}) }, { timeout: 50 })
    const { status, body: text } = await ask(daemon, '/cni', body('ADD'))
    expect([status, JSON.parse(text)]).toMatchObject([400, { code: 11, msg: 'ADD did not finish within 50 ms' }])
  })

  it('serves an instance of a class, also with a deadline of the daemon', async () => {
    class Tag {
      readonly name = 'tag'
      readonly #domain = 'own'
      add() {
        return { dns: { domain: this.#domain } }
      }
    }
    sockets += 1
    const socket = join(folder, `${sockets}.sock`)
    await using daemon = await serveDaemon(definePlugin(new Tag()), { socket, netns, stderr: () => {}, timeout: 5000 })
    expect(JSON.parse((await ask(daemon, '/cni', body('ADD'))).body)).toMatchObject({ dns: { domain: 'own' } })
  })

  it.each([
    [{ timeout: 3e9 }, 'timeout: expected milliseconds from 1 to 2147483647, got 3000000000'],
    [{ grace: -1 }, 'grace: expected milliseconds from 0 to 2147483647, got -1'],
    [{ grace: Number.NaN }, 'grace: expected milliseconds from 0 to 2147483647, got NaN'],
    [{ maxBody: 0 }, 'maxBody: expected a number of bytes above 0, got 0'],
  ])('rejects options with which every call would fail: %j', async (options, message) => {
    await expect(serve({}, options)).rejects.toThrow(new TypeError(`serveDaemon: ${message}`))
  })

  it('aborts and undoes the call of a client that goes away', async () => {
    const adding = gate()
    const undone = gate<string>()
    const lines: string[] = []
    const add = async (c: AddContext<unknown>): Promise<never> => {
      c.undo(() => undone.arrive('undone'))
      adding.arrive()
      return new Promise((_, reject) => c.signal.addEventListener('abort', () => reject(c.signal.reason)))
    }
    const daemon = await serve({ add }, { stderr: (line) => lines.push(line) })
    const client = new AbortController()
    const asked = ask(daemon, '/cni', body('ADD'), client.signal)
    await adding.arrived
    client.abort()
    await expect(asked).rejects.toThrow()
    expect(await undone.arrived).toBe('undone')
    await daemon.stop()
    expect(lines.join('')).toContain('ADD was interrupted: the client went away')
  })

  it('keeps serving after invalid requests', async () => {
    await using daemon = await serve({}, { maxBody: 1000 })
    const bad = await ask(daemon, '/cni', '{"env":{}}')
    expect([bad.status, JSON.parse(bad.body).code]).toEqual([400, 6])
    for (const size of [1001, 3_000_000]) {
      const large = await ask(daemon, '/cni', 'x'.repeat(size))
      expect([large.status, JSON.parse(large.body).msg]).toEqual([413, 'the call is larger than 1000 bytes'])
    }
    expect((await ask(daemon, '/cni', body('ADD'))).status).toBe(200)
  })

  it('does not wait for a silent client, or one that leaves during its call', async () => {
    const daemon = await serve({})
    const silent = connect(daemon.socket)
    await new Promise((resolve) => silent.on('connect', resolve))
    const half = connect(daemon.socket)
    half.write('POST /cni HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
    await expect.poll(() => daemon.calls).toBe(1)
    half.destroy()
    await expect.poll(() => daemon.calls).toBe(0)
    await daemon.stop()
  })
})

describe('other paths', () => {
  it.each([
    ['GET', '/healthz', 200],
    ['POST', '/healthz', 200],
    ['GET', '/readyz?verbose', 200],
    ['POST', '/readyz', 200],
    ['DELETE', '/healthz', 405],
    ['GET', '/cni', 405],
    ['GET', '/', 404],
    ['POST', '/cni/', 404],
  ])('%s %s has the status %i', async (method, path, status) => {
    await using daemon = await serve({})
    expect(await get(daemon, path, method)).toBe(status)
  })
})

describe('readiness', () => {
  it('makes calls wait until the daemon is ready, except for DEL', async () => {
    const calls: string[] = []
    const add = () => {
      calls.push('ADD')
      return {}
    }
    await using daemon = await serve({ add, del: () => void calls.push('DEL') }, { ready: false })
    const statuses = async () =>
      Promise.all([
        get(daemon, '/healthz'),
        get(daemon, '/readyz'),
        ask(daemon, '/cni', body('ADD')).then((a) => a.status),
      ])
    expect(await statuses()).toEqual([200, 503, 503])
    const status = await ask(daemon, '/cni', body('STATUS', { ...CONF, cniVersion: '1.1.0' }))
    expect(JSON.parse(status.body).code).toBe(50)
    expect((await ask(daemon, '/cni', body('DEL'))).status).toBe(200)
    expect(calls).toEqual(['DEL'])
    daemon.setReady(true)
    expect([daemon.isReady, await statuses()]).toEqual([true, [200, 200, 200]])
    daemon.setReady(false)
    expect(await statuses()).toEqual([200, 503, 503])
  })
})

describe('stop', () => {
  it('waits for running calls, serves DEL meanwhile, and rejects new calls', async () => {
    const adding = gate()
    const release = gate()
    const daemon = await serve({
      async add() {
        adding.arrive()
        await release.opened
        return { dns: { domain: 'done' } }
      },
    })
    const asked = ask(daemon, '/cni', body('ADD'))
    await adding.arrived
    const stopped = daemon.stop()
    expect(daemon.isReady).toBe(false)
    daemon.setReady(true)
    expect(await get(daemon, '/readyz')).toBe(503)
    expect((await ask(daemon, '/cni', body('ADD'))).status).toBe(503)
    expect((await ask(daemon, '/cni', body('DEL'))).status).toBe(200)
    release.open()
    expect(JSON.parse((await asked).body).dns.domain).toBe('done')
    await stopped
    await expect(ask(daemon, '/cni', body('DEL'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(daemon.stop()).toBe(stopped)
  })

  it('aborts calls after the grace period, and their clients get the error', async () => {
    const adding = gate()
    let undone = false
    const add = (c: AddContext<unknown>): Promise<never> => {
      c.undo(() => {
        undone = true
      })
      adding.arrive()
      return new Promise((_, reject) => c.signal.addEventListener('abort', () => reject(c.signal.reason)))
    }
    const daemon = await serve({ add }, { grace: 20 })
    const asked = ask(daemon, '/cni', body('ADD'))
    await adding.arrived
    await daemon.stop()
    expect(undone).toBe(true)
    expect(JSON.parse((await asked).body)).toMatchObject({ code: 11, msg: 'the daemon is stopping' })
  })

  it('runs when the signal aborts, also if it has aborted before', async () => {
    const stopping = new AbortController()
    const daemon = await serve({}, { signal: stopping.signal })
    expect(daemon.isReady).toBe(true)
    stopping.abort()
    expect(daemon.isReady).toBe(false)
    await daemon.stop()
    const late = await serve({}, { signal: stopping.signal })
    expect(late.isReady).toBe(false)
    await late.stop()
    await expect(ask(late, '/cni', body('DEL'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
})
