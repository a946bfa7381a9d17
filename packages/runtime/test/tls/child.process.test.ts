import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createAuthority } from '@cni/kube/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Both, both, isBuilt, NOT_BUILT } from '../same.ts'
import { httpsServer, rawServer } from './servers.ts'

const authority = createAuthority('ca')
const ca = authority.cert
const identity = authority.issue('server', ['127.0.0.1'])
const isRoot = process.getuid?.() === 0

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)

/** Polls until `look` returns a value. */
async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (let left = 200; left > 0; left--) {
    const found = look()
    if (found !== undefined) return found
    await delay(10)
  }
  throw new Error('it did not happen')
}

const statusOf = (pid: number): Record<string, string> =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/status`, 'utf8')
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )

describe.skipIf(!isBuilt || !isRoot)(`The process that speaks TLS (${NOT_BUILT}, and root)`, () => {
  let client: Both
  beforeAll(async () => {
    client = await both('https-client')
    // Lets a user who is not root reach the program.
    chmodSync(dirname(client.small), 0o755)
  })
  afterAll(() => client[Symbol.dispose]())

  const start = (asked: object) =>
    spawn(client.small, [JSON.stringify({ host: '127.0.0.1', ca, ...asked })], { stdio: ['ignore', 'pipe', 'inherit'] })

  it.for(['a handshake', 'an answer'])('has neither rights nor descriptors while it waits for %s', async (what) => {
    await using server = what === 'an answer' ? await httpsServer(identity) : await rawServer(() => {})
    const parent = start({ port: server.port, path: '/never' })
    const pid = await eventually(() => childrenOf(parent.pid ?? 0)[0])
    const status = await eventually(() => (statusOf(pid).Seccomp === '2' ? statusOf(pid) : undefined))
    const nobody = '65534\t65534\t65534\t65534'
    const none = '0000000000000000'
    expect(status).toMatchObject({ Uid: nobody, Gid: nobody, Groups: '', NoNewPrivs: '1', Seccomp: '2' })
    expect(status).toMatchObject({ CapEff: none, CapPrm: none, CapInh: none, CapAmb: none, SigBlk: none })
    const links = readdirSync(`/proc/${pid}/fd`).map((fd) => `${fd} ${readlinkSync(`/proc/${pid}/fd/${fd}`)}`)
    expect(links.sort()).toEqual([expect.stringMatching(/^0 socket:/), expect.stringMatching(/^1 socket:/)])
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
    for (const limit of [
      'Max open files +2 +2',
      'Max processes +0 +0',
      'Max core file size +0 +0',
      'Max file size +0 +0',
    ])
      expect(limits).toMatch(new RegExp(limit))
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    // The kernel ends the child with its parent.
    await eventually(() => (existsSync(`/proc/${pid}`) && statusOf(pid).State?.[0] !== 'Z' ? undefined : true))
  })

  it('leaves no descriptor of the connection in its parent', async () => {
    await using server = await httpsServer(identity)
    const parent = start({ port: server.port, path: '/never' })
    const pid = await eventually(() => childrenOf(parent.pid ?? 0)[0])
    await eventually(() => (statusOf(pid).Seccomp === '2' ? true : undefined))
    const connection = readlinkSync(`/proc/${pid}/fd/0`)
    const descriptors = () => {
      const own = readdirSync(`/proc/${parent.pid}/fd`).filter((fd) => Number(fd) > 2)
      return own.map((fd) => readlinkSync(`/proc/${parent.pid}/fd/${fd}`))
    }
    // The child may run before its parent has closed the parent's copy.
    await expect.poll(descriptors, { timeout: 5000 }).not.toContain(connection)
    expect(descriptors().filter((link) => link.startsWith('socket:'))).toHaveLength(1)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
  })

  it.for([
    ['an answer', {}],
    ['an abort', { path: '/never', abortMs: 50 }],
    ['a cut', { path: '/cut' }],
    ['distrust', { ca: createAuthority('other').cert }],
    ['an unusable certificate', { ca: 'x' }],
  ] as const)('is reaped at once after %s and leaves no process', async ([, asked]) => {
    await using server = await httpsServer(identity)
    const times = 20
    const parent = start({ port: server.port, ...asked, times })
    let most = 0
    let open = 0
    let lines = 0
    parent.stdout.on('data', (chunk: Buffer) => {
      lines += String(chunk).split('\n').length - 1
      try {
        most = Math.max(most, childrenOf(parent.pid ?? 0).length)
        open = Math.max(open, readdirSync(`/proc/${parent.pid}/fd`).length)
      } catch {
        // The process has ended.
      }
    })
    await once(parent, 'close')
    expect(lines).toBe(times)
    expect(most).toBeLessThanOrEqual(1)
    expect(open).toBeLessThanOrEqual(8)
  })

  it('sends nothing if the kernel refuses to change the user', async () => {
    let connections = 0
    await using server = await rawServer((socket) => {
      socket.on('data', () => {
        connections += 1
      })
    })
    // A user namespace with one user.
    const asked = JSON.stringify({ host: '127.0.0.1', port: server.port, ca })
    const parent = spawn('unshare', ['-Ur', client.small, asked], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = await once(parent.stdout, 'data')
    expect(JSON.parse(String(line))).toMatchObject({
      code: 'ERR_TLS_SANDBOX',
      message: expect.stringContaining('refused to confine the process for it (the user: '),
    })
    expect(connections).toBe(0)
  })

  it('ends the request when it is killed', async () => {
    await using server = await httpsServer(identity)
    const parent = start({ port: server.port, path: '/never' })
    const pid = await eventually(() => childrenOf(parent.pid ?? 0)[0])
    await eventually(() => (statusOf(pid).Seccomp === '2' ? true : undefined))
    await delay(100)
    process.kill(pid, 'SIGSYS')
    const [line] = await once(parent.stdout, 'data')
    expect(JSON.parse(String(line))).toEqual({ code: 'EPROTO', message: 'TLS: its process ended by SIGSYS' })
  })

  it('keeps the user if the parent is not root', async () => {
    await using server = await httpsServer(identity)
    const parent = spawn(client.small, [JSON.stringify({ host: '127.0.0.1', port: server.port, ca, path: '/never' })], {
      stdio: 'ignore',
      uid: 1234,
      gid: 1234,
    })
    const pid = await eventually(() => childrenOf(parent.pid ?? 0)[0])
    const status = await eventually(() => (statusOf(pid).Seccomp === '2' ? statusOf(pid) : undefined))
    expect(status).toMatchObject({ Uid: '1234\t1234\t1234\t1234', NoNewPrivs: '1', CapEff: '0000000000000000' })
    parent.kill('SIGKILL')
    await once(parent, 'exit')
  })
})
