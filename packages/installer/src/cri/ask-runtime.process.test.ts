import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { containerdWith, rawListener, standInRuntime, statusResponse } from '../../test/stand-in-runtime.ts'
import { askRuntime } from './ask-runtime.ts'
import { CriError } from './cri-error.ts'

let folder: string
let socket: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cri-'))
  socket = join(folder, 'runtime.sock')
})
afterEach(() => rmSync(folder, { recursive: true }))

const ANSWER = statusResponse(containerdWith(['ptp', 'istio-cni']))
/** Number of open descriptors of this process, connections included. */
const descriptors = (): number => readdirSync('/proc/self/fd').length

test('a runtime gets one verbose Status request, and its answer is returned', async () => {
  await using runtime = await standInRuntime(socket, (done) => done(null, ANSWER))
  expect(await askRuntime(socket)).toMatchObject({
    runtime: 'containerd',
    networkReady: true,
    loaded: { networks: [{ types: ['loopback'] }, { name: 'pods', types: ['ptp', 'istio-cni'] }] },
  })
  expect(runtime.requests).toEqual([['/runtime.v1.RuntimeService/Status', Buffer.from([8, 1])]])
})

test('a slow answer is awaited, and the connection is closed', async () => {
  await using _ = await standInRuntime(socket, (done) => void setTimeout(() => done(null, ANSWER), 300))
  const before = descriptors()
  for (let count = 0; count < 5; count += 1) await askRuntime(socket)
  await expect.poll(descriptors).toBeLessThanOrEqual(before)
})

describe('without a valid answer the request fails and the connection is closed', () => {
  const refusal = async (timeoutMs = 500): Promise<string> => {
    const error = await askRuntime(socket, { timeoutMs }).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(CriError)
    return error instanceof Error ? error.message : ''
  }

  test.each([
    ['2 MiB', Buffer.alloc(2 ** 21), /^it answers more than 1048576 bytes$/],
    ['bytes that are not a message', Buffer.from('nonsense'), /^it gives no answer of a container runtime: /],
    [
      'a cniconfig of its own',
      Buffer.from(statusResponse(containerdWith([], { cniconfig: '{"Networks":7}' }))),
      /^its cniconfig is not what containerd answers: "\{\\"Networks\\":7\}"$/,
    ],
  ])('%s', async (_, bytes, message) => {
    await using _runtime = await standInRuntime(socket, (done) => done(null, bytes))
    expect(await refusal()).toMatch(message)
  })

  test.each([
    [12, 'unknown service runtime.v1.RuntimeService', /^what listens does not answer CRI in version 1/],
    [7, `\u001b[31m\n${'x'.repeat(1000)}`, /^ ?\[31m x{400,500}$/],
  ])('an error with code %i', async (code, details, message) => {
    await using _ = await standInRuntime(socket, (done) => done({ code, details }))
    expect(await refusal()).toMatch(message)
  })

  test('no answer within the timeout', async () => {
    await using _ = await standInRuntime(socket, () => {})
    const start = performance.now()
    expect(await refusal(200)).toBe('it gives no answer in time')
    expect(performance.now() - start).toBeLessThan(3000)
  })

  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
  const every = (ms: number, talk: Socket, bytes: Buffer): void => {
    const timer = setInterval(() => talk.write(bytes), ms)
    talk.on('close', () => clearInterval(timer))
  }
  test.each<readonly [string, (talk: Socket) => void, RegExp]>([
    ['sends nothing', () => {}, /^it gives no answer in time$/],
    ['closes', (talk) => talk.end(), /^no connection: /],
    ['closes the connection', (talk) => void talk.once('data', () => talk.destroy()), /^no connection: /],
    ['speaks another protocol', (talk) => talk.write('HTTP/1.1 200 OK\r\n\r\n'), /^no connection: /],
    ['drips', (talk) => every(10, talk, Buffer.from([0])), /^no connection: |^it gives no answer in time$/],
    ['sends only its settings', (talk) => talk.write(settings), /^it gives no answer in time$/],
    [
      'sends its settings, then endless pings',
      (talk) => {
        talk.write(settings)
        every(1, talk, Buffer.concat(Array.from({ length: 50 }, () => ping)))
      },
      /^it gives no answer in time$|^no connection: /,
    ],
  ])('a listener that %s', async (_, talk, message) => {
    await using listener = await rawListener(socket, talk)
    const before = descriptors()
    for (let count = 0; count < 3; count += 1) expect(await refusal(300)).toMatch(message)
    await expect.poll(() => listener.open()).toBe(0)
    await expect.poll(descriptors).toBeLessThanOrEqual(before)
  })

  test("the agent's signal ends the request", async () => {
    await using _ = await standInRuntime(socket, () => {})
    const start = performance.now()
    const signal = AbortSignal.timeout(100)
    await expect(askRuntime(socket, { signal })).rejects.toThrow('the question was cancelled')
    expect(performance.now() - start).toBeLessThan(2500)
    await expect(askRuntime(socket, { signal })).rejects.toThrow('the question was cancelled')
  })

  test('a listener that was killed', async () => {
    const script = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`
    await once(spawn(process.execPath, ['-e', script]), 'exit')
    expect(await refusal()).toBe('no program listens')
  })
})

describe('an unsafe path is rejected without a connection', () => {
  const refused = async (path: string): Promise<string> => {
    const error = await askRuntime(path).catch((cause: unknown) => cause)
    return error instanceof CriError ? error.message : `no refusal: ${error}`
  }

  test('a missing path, a file, a folder, a path below a file', async () => {
    writeFileSync(join(folder, 'file'), '')
    expect(await refused(socket)).toBe('it does not exist')
    expect(await refused(join(folder, 'file'))).toBe('it is not a socket')
    expect(await refused(folder)).toBe('it is not a socket')
    expect(await refused(join(folder, 'file', 'sock'))).toContain('ENOTDIR')
  })

  test('a socket that everybody can use, a link, a folder that everybody can write to', async () => {
    await using runtime = await standInRuntime(socket, (done) => done(null, ANSWER))
    chmodSync(socket, 0o660)
    symlinkSync(socket, join(folder, 'link'))
    expect(await refused(join(folder, 'link'))).toBe('it is a symbolic link: name the socket itself')
    chmodSync(socket, 0o666)
    expect(await refused(socket)).toBe('everybody may connect to it (mode 666)')
    chmodSync(socket, 0o660)
    chmodSync(folder, 0o777)
    expect(await refused(socket)).toBe('its folder may be written by others (mode 777)')
    chmodSync(folder, 0o755)
    expect(runtime.requests).toEqual([])
    expect(await askRuntime(socket)).toMatchObject({ runtime: 'containerd' })
  })

  test.runIf(process.geteuid?.() === 0)('a socket of another user', async () => {
    await using runtime = await standInRuntime(socket, (done) => done(null, ANSWER))
    chownSync(socket, 1000, 0)
    expect(await refused(socket)).toBe('it belongs to another user (uid 1000)')
    chownSync(socket, 0, 0)
    mkdirSync(join(folder, 'sub'))
    chownSync(folder, 1000, 0)
    expect(await refused(socket)).toBe('its folder belongs to another user (uid 1000)')
    expect(runtime.requests).toEqual([])
  })
})
