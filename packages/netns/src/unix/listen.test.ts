import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { NODE_FLAGS } from '../../../../test/node.ts'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { loadSys } from '../sys/load-sys.ts'
import { unixAddress } from './address.ts'
import { connectUnix } from './connect.ts'
import type { UnixConnection } from './connection.ts'
import { AF_UNIX, SOCK_SEQPACKET } from './constants.ts'
import { listenUnix } from './listen.ts'

let folder: string
let path: string
let before: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-unix-'))
  path = join(folder, 's')
  before = descriptors()
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  // Every test must close all its descriptors.
  await expect.poll(descriptors, { timeout: 10_000 }).toBe(before)
})

const descriptors = () => readdirSync('/proc/self/fd').length
const echo = async (connection: UnixConnection) => {
  using it = connection
  for await (using message of it) await it.send(message.bytes, message.fds)
}
const listen = (options: Partial<Parameters<typeof listenUnix>[1]> = {}) =>
  listenUnix(path, {
    onConnection: echo,
    onError(error) {
      throw error
    },
    ...options,
  })
const asked = async (text: string) => {
  using connection = connectUnix(path)
  await connection.send(Buffer.from(text))
  using answer = await connection.receive()
  return answer === undefined ? undefined : String(answer.bytes)
}

test.each([0o600, 0o666, 0o640])('the file has mode %o independent of the umask, and close removes it', (mode) => {
  const umask = process.umask(0o027)
  try {
    const listener = listen({ mode })
    expect(statSync(path).mode & 0o777).toBe(mode)
    listener.close()
    listener.close()
    expect(existsSync(path)).toBe(false)
  } finally {
    process.umask(umask)
  }
})

test("replaces an abandoned or active socket; the old listener's close leaves the new file in place", async () => {
  const first = listen({ onConnection: (connection) => connection.close() })
  using _ = listen()
  first.close()
  expect(await asked('hello')).toBe('hello')
})

test.each([
  ['a file', () => writeFileSync(path, 'precious')],
  ['a folder', () => mkdirSync(path)],
])('%s is not replaced', (_, make) => {
  make()
  expect(() => listen()).toThrow(
    expect.objectContaining({ name: 'NetnsError', code: 'EXISTS', path, message: expect.stringContaining(path) }),
  )
  expect(existsSync(path)).toBe(true)
  expect(descriptors()).toBe(before)
})

test.each([
  ['', 'INVALID', 'Invalid path for a unix socket: "": it is empty'],
  ['a\0b', 'INVALID', '"a\\u0000b": it contains a NUL'],
  ['/run/'.padEnd(108, 'x'), 'INVALID', 'it has 108 bytes, the kernel accepts at most 107'],
  ['/proc/self/none/s', 'ENOENT', 'Cannot make the unix socket /proc/self/none/s: ENOENT'],
])('the path %j is refused, and no descriptor stays open', (bad, code, message) => {
  const options = { onConnection: echo, onError: () => {} }
  expect(() => listenUnix(bad, options)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  )
  if (code === 'INVALID') expect(() => connectUnix(bad)).toThrow(expect.objectContaining({ code }))
  expect(descriptors()).toBe(before)
})

test('a failed connect describes the problem of the path', () => {
  expect(() => connectUnix(path)).toThrow(`Cannot connect to the unix socket ${path}: ENOENT`)
  using _ = listen()
  expect(() => connectUnix(path, { type: 'stream' })).toThrow(expect.objectContaining({ code: 'EPROTOTYPE' }))
})

test('hundreds of clients connect at the same time and leave nothing open', async () => {
  const listener = listen({ maxConnections: 200 })
  for (let round = 0; round < 3; round++) {
    const texts = Array.from({ length: 150 }, (_, index) => `${round}.${index}`)
    expect(await Promise.all(texts.map(asked))).toEqual(texts)
  }
  await expect.poll(() => listener.connections, { timeout: 10_000 }).toBe(0)
  listener.close()
})

test('refused and surplus clients are closed and reported at once, and the others are served', async () => {
  const errors: unknown[] = []
  let allowed = true
  using listener = listen({ maxConnections: 2, allow: () => allowed, onError: (error) => errors.push(String(error)) })
  using first = connectUnix(path)
  using second = connectUnix(path)
  expect(await asked('third')).toBe(undefined)
  expect(listener.connections).toBe(2)
  second.close()
  await expect.poll(() => listener.connections, { timeout: 10_000 }).toBe(1)
  allowed = false
  expect(await asked('x')).toBe(undefined)
  await first.send(Buffer.from('still there'))
  expect(String((await first.receive())?.bytes)).toBe('still there')
  const who = `NetnsError: Process ${process.pid} of user ${process.getuid?.()} cannot connect to ${path}: `
  expect(errors).toEqual([`${who}2 connections are open already`, `${who}the option allow refused it`])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('no')
    },
  ],
  ['rejects', () => Promise.reject(new Error('no'))],
])('a connection whose handler %s is closed, and the listener continues', async (_, onConnection) => {
  const errors: unknown[] = []
  using listener = listen({ onConnection, onError: (error) => errors.push(error) })
  for (let round = 1; round <= 2; round++) {
    using client = connectUnix(path)
    await client.closed
    expect([listener.connections, errors]).toEqual([0, Array(round).fill(new Error('no'))])
  }
})

test('a handler may close the listener: waiting clients are not accepted', async () => {
  const accepted: UnixConnection[] = []
  const listener = listen({
    onConnection(connection) {
      accepted.push(connection)
      listener.close()
    },
  })
  using first = connectUnix(path)
  using second = connectUnix(path)
  await second.closed
  expect(accepted.length).toBe(1)
  using served = accepted[0]
  await served?.send(Buffer.from('hello'))
  expect(String((await first.receive())?.bytes)).toBe('hello')
})

test('any bytes are a valid message, and descriptors of any kind arrive', async () => {
  using _ = listen()
  const file = openSync('/dev/zero', 'r')
  using client = connectUnix(path)
  const garbage = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
  await client.send(garbage, [file, 0])
  closeSync(file)
  using answer = await client.receive()
  expect(answer?.bytes).toEqual(garbage)
  expect(answer?.fds.length).toBe(2)
})

test('an empty packet is the end: later packets are not read', async () => {
  const seen: string[] = []
  using _ = listen({
    async onConnection(connection) {
      using it = connection
      for await (using message of it) seen.push(String(message.bytes))
      await it.closed
      seen.push(String(await it.receive()))
    },
  })
  const sys = loadSys()
  const fd = sys.socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)
  try {
    sys.connect(fd, unixAddress(path))
    for (const text of ['first', '', 'after']) sys.sendto(fd, Buffer.from(text), 0)
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['first', 'undefined'])
  } finally {
    closeSync(fd)
  }
})

test('a worker, which gets no signals, throws and leaves nothing open', async () => {
  using _ = listen()
  const script = `import(${JSON.stringify(join(import.meta.dirname, 'connect.ts'))})
    .then(({ connectUnix }) => connectUnix(${JSON.stringify(path)}))
    .catch(({ code }) => require('node:worker_threads').parentPort.postMessage(code))`
  const worker = new Worker(script, { eval: true, execArgv: [...NODE_FLAGS] })
  expect(await once(worker, 'message')).toEqual(['NOT_MAIN_THREAD'])
  await worker.terminate()
})
