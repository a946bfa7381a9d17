import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fixtureRuntimes, type Runtime } from './runtimes.ts'
import { start } from './start.ts'

const shims = await fixtureRuntimes('shim')
const daemons = await fixtureRuntimes('daemon')
const { folder } = shims
afterAll(() => {
  for (const each of [shims, daemons]) rmSync(each.folder, { recursive: true })
})

const socket = join(folder, 'run/thick.sock')
const mark = join(folder, 'mark')
const conf = (members: object = {}): string => JSON.stringify({ cniVersion: '1.1.0', name: 'n', ...members })
const ENV = {
  CNI_COMMAND: 'ADD',
  CNI_CONTAINERID: 'c',
  CNI_NETNS: '/proc/self/ns/net',
  CNI_NETNS_OVERRIDE: '1',
  CNI_IFNAME: 'eth0',
  CNI_PATH: '/',
}

const call = (runtime: Runtime, env: NodeJS.ProcessEnv = {}, input = conf()) =>
  start(runtime, { ...ENV, SHIM_SOCKET: socket, ...env }, input)

// The daemon for tests of the shim.
const [first] = daemons.runtimes
let running: ReturnType<typeof start> | undefined

function serve(runtime: Runtime | undefined = first): void {
  if (runtime === undefined) throw new Error('no runtime')
  running = start(runtime, { DAEMON_SOCKET: socket, DAEMON_MARK: mark }, '')
}

beforeEach(() => rmSync(mark, { force: true }))
afterEach(async () => {
  running?.child.kill('SIGKILL')
  await running?.done
  running = undefined
})

describe.each(shims.runtimes)('a shim, $name', (runtime) => {
  it('waits for the daemon, and prints its answer unchanged', async () => {
    const calling = call(runtime)
    serve()
    const { code, stdout } = await calling.done
    expect([code, JSON.parse(stdout)]).toEqual([0, { cniVersion: '1.1.0', dns: { domain: 'c' }, size: '' }])
  })

  it('transmits results and configurations of half a megabyte', async () => {
    serve()
    const { stdout } = await call(runtime, { CNI_ARGS: 'SIZE=500000' }, conf({ other: 'x'.repeat(500_000) })).done
    expect(JSON.parse(stdout).size).toHaveLength(500_000)
  })

  it('prints an error of the daemon as one document', async () => {
    serve()
    const { code, stdout } = await call(runtime, {}, conf({ name: 'fails' })).done
    expect([code, JSON.parse(stdout)]).toEqual([1, { cniVersion: '1.1.0', code: 999, msg: 'boom' }])
  })

  it('answers VERSION, and succeeds in DEL, while the daemon is down', async () => {
    const version = await call(runtime, { CNI_COMMAND: 'VERSION' }).done
    expect(JSON.parse(version.stdout)).toMatchObject({ cniVersion: '1.1.0' })
    const del = await call(runtime, { CNI_COMMAND: 'DEL' }).done
    expect(del).toMatchObject({ code: 0, stdout: '' })
    expect(del.stderr).toContain('the daemon is down: nothing was deleted')
  })

  it.each([
    ['ADD', 11],
    ['STATUS', 50],
  ])('%s fails with code %i if the daemon stays down', async (command, expected) => {
    const { code, stdout } = await call(runtime, { CNI_COMMAND: command, SHIM_READY_TIMEOUT: '50' }).done
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { code: expected, msg: `the daemon at ${socket} is down` }])
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('is undone by the daemon after %s', async (signal) => {
    serve()
    const { child, done } = call(runtime, {}, conf({ name: 'waits' }))
    await expect.poll(() => existsSync(mark), { timeout: 10_000 }).toBe(true)
    child.kill(signal)
    const { stdout } = await done
    await expect.poll(() => readFileSync(mark, 'utf8'), { timeout: 10_000 }).toBe('undone')
    if (signal === 'SIGTERM') expect(JSON.parse(stdout)).toMatchObject({ code: 11, msg: 'received SIGTERM' })
    else expect(stdout).toBe('')
  })
})

describe.each(daemons.runtimes)('a daemon, $name', (runtime) => {
  const [shim] = shims.runtimes

  it('serves many shims at once, stops on SIGTERM, and removes its socket', async () => {
    serve(runtime)
    if (shim === undefined || running === undefined) throw new Error('no runtime')
    const calls = Array.from({ length: 6 }, (_, n) => call(shim, { CNI_CONTAINERID: `c${n}` }).done)
    const domains = (await Promise.all(calls)).map(({ stdout }) => JSON.parse(stdout).dns.domain)
    expect(domains).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5'])
    running.child.kill('SIGTERM')
    expect((await running.done).code).toBe(0)
    expect(existsSync(socket)).toBe(false)
  })

  it('undoes the call of a killed shim', async () => {
    serve(runtime)
    if (shim === undefined) throw new Error('no runtime')
    const { child, done } = call(shim, {}, conf({ name: 'waits' }))
    await expect.poll(() => existsSync(mark), { timeout: 10_000 }).toBe(true)
    child.kill('SIGKILL')
    await done
    await expect.poll(() => readFileSync(mark, 'utf8'), { timeout: 10_000 }).toBe('undone')
  })
})
