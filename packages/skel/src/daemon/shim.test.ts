import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { CniError, type NetConf } from '@cni/types'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { definePlugin, type Plugin } from '../definition/plugin.ts'
import { runPlugin } from '../run.ts'
import { fakeNetns } from '../testing/fake-netns.ts'
import { testPlugin } from '../testing/test-plugin.ts'
import type { DaemonOptions } from './daemon.ts'
import { serveDaemon } from './serve-daemon.ts'
import { type ShimOptions, shim } from './shim.ts'

const netns = { open: (path: string) => fakeNetns(path, 2), current: () => fakeNetns('/proc/self/ns/net', 1) }

let folder: string
let socket: string
beforeEach(() => {
  folder = tempFolder()
  socket = join(folder, 'thick.sock')
})

const serve = (plugin: Plugin, options: Partial<DaemonOptions> = {}) =>
  serveDaemon(plugin, { socket, netns, stderr: () => {}, ...options })
const caller = (options: Partial<ShimOptions> = {}) =>
  testPlugin(shim({ name: 'thick', socket, readyTimeout: 0, ...options }))
const VERBS = ['add', 'check', 'gc', 'status', 'del'] as const

/** Starts another server at the socket. */
async function stranger(listener: RequestListener): Promise<void> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
}

describe('shim options', () => {
  it.each<[options: object, message: string]>([
    [{ socket: 'run/thick.sock' }, 'socket: expected an absolute path, got "run/thick.sock"'],
    [{ socket: '' }, 'socket: expected an absolute path, got ""'],
    [{ socket: undefined }, 'socket: expected an absolute path, got undefined'],
    [{ delWhileDown: 'Fail' }, 'delWhileDown: expected succeed or fail, got "Fail"'],
    [{ pollInterval: 0 }, 'pollInterval: expected milliseconds from 1 to 2147483647, got 0'],
    [{ readyTimeout: Number.NaN }, 'readyTimeout: expected milliseconds from 0 to 2147483647, got NaN'],
    [{ readyTimeout: { ADD: '5' } }, 'readyTimeout: ADD: expected milliseconds from 0 to 2147483647, got "5"'],
    [{ readyTimeout: { DEL: 5 } }, 'readyTimeout: DEL: expected one of ADD, CHECK, GC, STATUS'],
  ])('are rejected if invalid: %j', (options, message) => {
    expect(() => shim({ name: 'thick', socket, ...options })).toThrow(new TypeError(`shim: thick: ${message}`))
  })

  it('can come from the configuration, which is then rejected if invalid', async () => {
    const at = caller({ socket: (conf) => String(conf.at) })
    expect((await at.add({ conf: { at: 'here' } })).error).toMatchObject({
      code: 7,
      msg: 'the socket of the daemon: expected an absolute path, got "here"',
    })
    expect(await at.del({ conf: { at: 'here' } })).toMatchObject({
      exitCode: 0,
      log: [{ level: 'warn', msg: 'the configuration does not say where the daemon is: nothing was deleted' }],
    })
  })
})

describe('a shim behaves like the plugin it forwards to', () => {
  const plugin = definePlugin({
    name: 'thick',
    add(c) {
      if (c.networkName === 'fails') throw new CniError(100, 'drifted', { details: 'rule 3 <', hint: 'h' })
      return c.prevResult ?? { ips: [{ address: '10.1.2.3/24' }], own: { b: 1, a: [null] } }
    },
    check() {
      throw new Error('boom')
    },
    del() {
      throw new CniError(11, 'not yet')
    },
    gc(c) {
      if (c.validAttachments?.length !== 1) throw new Error('none')
    },
    status() {
      throw new CniError(51, 'limited')
    },
  })
  const prevResult = {
    cniVersion: '0.3.1',
    interfaces: [{ name: 'eth0', own: 1 }],
    ips: [{ version: '4', address: '10.9.8.7/16', interface: 0 }],
    12: 'x',
  }
  const digits = `{"cniVersion":"1.1.0","name":"n","prevResult":{"own": 12345678901234567890, "cniVersion":"1.1.0"}}`

  it.each(['0.1.0', '0.2.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'])('in version %s', async (cniVersion) => {
    await using _ = await serve(plugin)
    const [direct, thin] = [testPlugin(plugin), caller()]
    const calls = [
      { conf: { cniVersion } },
      { conf: { cniVersion }, prevResult },
      { conf: { cniVersion, name: 'fails' } },
      { conf: digits },
    ]
    for (const call of calls) {
      const [expected, got] = await Promise.all([direct.add(call), thin.add(call)])
      expect([got.exitCode, got.stdout]).toEqual([expected.exitCode, expected.stdout])
    }
  })

  it.each(VERBS)('for %s', async (verb) => {
    await using _ = await serve(plugin)
    const call = { validAttachments: [{ containerID: 'c', ifname: 'eth0' }], args: 'K8S_POD_NAME=web-0;A=b=c' }
    const [expected, got] = await Promise.all([testPlugin(plugin)[verb](call), caller()[verb](call)])
    expect([got.exitCode, got.stdout]).toEqual([expected.exitCode, expected.stdout])
  })

  it('for invalid calls and for VERSION, without the daemon', async () => {
    const [direct, thin] = [testPlugin(plugin), caller()]
    for (const call of [{ ifName: 'a/b' }, { conf: '{' }, { conf: { name: '' } }, { conf: { cniVersion: '9.9.9' } }]) {
      expect((await thin.add(call)).stdout).toBe((await direct.add(call)).stdout)
    }
    expect((await thin.version()).stdout).toBe((await direct.version()).stdout)
    expect((await thin.run('FROB')).stdout).toBe((await direct.run('FROB')).stdout)
  })

  it('finds the daemon at the socket that the configuration names', async () => {
    await using _ = await serve(definePlugin({ name: 'thick', add: () => ({ dns: { domain: 'here' } }) }))
    const options = { socket: (conf: NetConf) => join(String(conf.daemonSocketDir), 'thick.sock') }
    const { result } = await caller(options).add({ conf: { daemonSocketDir: folder } })
    expect(result?.dns?.domain).toBe('here')
  })
})

it('a shim whose result cannot be written asks the daemon for DEL', async () => {
  const calls: string[] = []
  const plugin = definePlugin({
    name: 'thick',
    add(c) {
      calls.push(`ADD ${c.containerID}`)
      return {}
    },
    del: (c) => void calls.push(`DEL ${c.containerID} ${c.ifName}`),
  })
  await using _ = await serve(plugin)
  const { exitCode, stdout } = await runPlugin(shim({ name: 'thick', socket }), {
    env: { CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c', CNI_NETNS: '/x', CNI_IFNAME: 'eth0', CNI_PATH: '/bin' },
    stdin: () => '{"cniVersion":"1.1.0","name":"n"}',
    netns,
    stdout: () => Promise.reject(new CniError(5, 'no space left')),
  })
  expect([exitCode, JSON.parse(stdout).code, calls]).toEqual([1, 5, ['ADD c', 'DEL c eth0']])
})

describe('while the daemon is down', () => {
  it.each([
    ['add', 11],
    ['check', 11],
    ['gc', 11],
    ['status', 50],
  ] as const)('%s fails with code %i', async (verb, code) => {
    const { exitCode, error } = await caller()[verb]()
    expect([exitCode, error]).toMatchObject([1, { code, msg: `the daemon at ${socket} is down` }])
    expect(error?.details).toContain('ENOENT')
  })

  it('DEL succeeds at once, with a warning', async () => {
    const { exitCode, stdout, log } = await caller({ readyTimeout: 20_000 }).del()
    expect([exitCode, stdout]).toEqual([0, ''])
    expect(log).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'the daemon is down: nothing was deleted' }),
    )
  })

  it('DEL succeeds also if the configuration does not name the socket', async () => {
    const options = {
      socket: () => {
        throw new Error('daemonSocketDir is missing')
      },
    }
    expect(await caller(options).del()).toMatchObject({ exitCode: 0, stdout: '' })
    expect((await caller(options).add()).error).toMatchObject({ code: 999, msg: 'daemonSocketDir is missing' })
  })

  it("DEL fails with code 11 if the option delWhileDown is 'fail'", async () => {
    expect((await caller({ delWhileDown: 'fail' }).del()).error?.code).toBe(11)
  })

  it.each(['add', 'check', 'gc', 'status'] as const)('%s waits until the daemon is ready', async (verb) => {
    const reasons = new Set<string>()
    const sink = { write: (line: string) => void reasons.add(JSON.parse(line).reason) }
    const log = () => ({ level: 'debug', sinks: [sink] }) as const
    const calling = caller({ readyTimeout: 20_000, pollInterval: 5, log })[verb]()
    await expect.poll(() => [...reasons]).toEqual([`connect ENOENT ${socket}`])
    await using daemon = await serve(definePlugin({ name: 'thick', add: () => ({}) }), { ready: false })
    await expect.poll(() => [...reasons]).toContain('thick: the daemon is not ready')
    daemon.setReady(true)
    expect((await calling).exitCode).toBe(0)
  })

  it('the wait ends before the deadline, so that STATUS fails with its own code', async () => {
    const { error } = await caller({ timeout: 1000, readyTimeout: 20_000 }).status()
    expect(error).toMatchObject({ code: 50 })
  })

  it('CHECK fails within 5 s by default', async () => {
    const begun = performance.now()
    expect((await caller({ readyTimeout: {} }).check()).error).toMatchObject({ code: 11 })
    expect(performance.now() - begun).toBeLessThan(15_000)
  })

  it('the time limit of the wait can differ by verb', async () => {
    const options: Partial<ShimOptions> = { readyTimeout: { CHECK: 1 }, pollInterval: 1, timeout: 2000 }
    expect((await caller(options).check()).error).toMatchObject({ code: 11 })
  })

  it('an abort ends the wait', async () => {
    const interrupt = new AbortController()
    const calling = caller({ readyTimeout: 20_000 }).add({ signal: interrupt.signal })
    interrupt.abort(new Error('received SIGTERM'))
    expect((await calling).error).toMatchObject({ code: 11, msg: expect.stringContaining('received SIGTERM') })
  })
})

describe('a defective daemon', () => {
  it.each([
    ['add', 11],
    ['status', 50],
    ['del', 11],
  ] as const)(
    'breaks the connection: %s fails with code %i and is not retried, because it may have been done',
    async (verb, code) => {
      let requests = 0
      await stranger((request) => {
        requests += 1
        request.socket.destroy()
      })
      const { error } = await caller({ readyTimeout: 20_000 })[verb]()
      expect(error).toMatchObject({ code, msg: expect.stringContaining('broke off the call') })
      expect(requests).toBe(1)
    },
  )

  it('never answers: the deadline applies, also to DEL', async () => {
    await stranger(() => {})
    for (const verb of ['add', 'del'] as const) {
      expect((await caller({ timeout: 100 })[verb]()).error).toMatchObject({ code: 11 })
    }
  })

  it('is another program: the error has its status and answer', async () => {
    await stranger((_, response) => response.writeHead(404).end('404 page not found'))
    const { error } = await caller().add()
    expect(error).toMatchObject({ code: 999, msg: `the daemon at ${socket} answered 404 Not Found` })
    expect(error?.details).toContain('404 page not found')
  })

  it.each([
    ['nothing', '', 6],
    ['a text that is not JSON', 'OK', 6],
    ['an array', '[]', 6],
    ['an invalid result', '{"cniVersion":"1.0.0","ips":[{"address":"x"}]}', 6],
  ])('answers ADD with %s: ADD fails', async (_title, text, code) => {
    await stranger((_, response) => response.end(text))
    expect((await caller().add()).error?.code).toBe(code)
  })
})
