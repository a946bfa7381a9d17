import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { askedPod, type CallClient, callAgent } from '../../../test/serve-client.ts'
import { encodeFrame, frameReader } from '../../serve/frame.ts'
import { ACCEPTED, MAX_REQUEST, type ServeAnswer, type ServeRequest } from '../../serve/protocol.ts'
import { encodeDone } from '../../serve/request.ts'
import type { ServerBounds } from './bounded-connections.ts'
import { type CallServerOptions, callServer } from './call-server.ts'
import { listen, shut } from './listen.ts'
import { readStatus, statusQuestion } from './serving-status.ts'

const until = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 2 })
const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const version = '1.2.3'
const roomy: ServerBounds = { waiting: 100, burst: 200, headersMs: 60_000, totalMs: 60_000 }

const requestOf = (name: string, more: { readonly version?: string } = {}): Buffer =>
  askedPod(name, { version, ...more })

const nameIn = ({ env }: ServeRequest): string => /K8S_POD_NAME=([^;]*)/.exec(env.CNI_ARGS ?? '')?.[1] ?? ''
const skipped = (reason: string): ServeAnswer => ({
  act: 'skip',
  log: [{ text: `{"msg":"${reason}"}\n` }],
  stdout: '{}',
})

/** A server with clients, and what it reported. */
async function serve(options: Partial<Omit<CallServerOptions, 'bounds'>> & { bounds?: Partial<ServerBounds> } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'calls-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'serve.sock')
  const closed: string[] = []
  const done: [string, number][] = []
  const answered: string[] = []
  const server = callServer({
    version,
    answer: async (request) => skipped(nameIn(request)),
    answered: (said) => void answered.push(said.act === 'refused' ? said.reason : said.act),
    closed: (reason) => void closed.push(reason),
    done: (said, ms) => void done.push([said.act, ms]),
    ...options,
    bounds: { ...roomy, ...options.bounds },
  })
  await listen(server, path)
  ends.push(() => shut(server))
  const client = (bytes?: Uint8Array): CallClient => {
    const made = callAgent(path, bytes)
    ends.push(() => void made.socket.destroy())
    return made
  }
  return { path, closed, done, answered, server, client }
}

describe('a call', () => {
  test('is accepted at once, answered when it is decided, and says when it is done', async () => {
    let decide = (): void => {}
    const decided = new Promise<void>((resolve) => {
      decide = resolve
    })
    const { client, done, answered } = await serve({
      async answer(request) {
        await decided
        return skipped(nameIn(request))
      },
    })
    const one = client(requestOf('web'))
    await one.accepted
    expect(Buffer.concat(one.received)).toEqual(Buffer.of(ACCEPTED))
    decide()
    expect(await one.answer).toEqual(skipped('web'))
    expect(answered).toEqual(['skip'])
    one.socket.write(encodeDone(1.5))
    await one.end
    expect(done).toEqual([['skip', 1.5]])
  })

  test('is told of its namespace while it is decided, or not at all', async () => {
    const known: unknown[] = []
    const { client, done } = await serve({
      async answer(request, _, facts) {
        await facts().then(
          ({ backend }) => known.push(backend),
          ({ message }) => known.push(message),
        )
        return skipped(nameIn(request))
      },
    })
    const whole = requestOf('web')
    const head = whole.subarray(0, 8 + whole.readUInt32LE(0) + whole.readUInt32LE(4))
    await client(whole).answer
    await client(Buffer.concat([head, encodeFrame({ backend: 'other' })])).answer
    const one = client(head)
    await one.accepted
    one.socket.write(encodeDone(0))
    await one.end
    client(head).socket.end()
    await until(() => expect(known).toHaveLength(4))
    const none = 'the plugin tells nothing of the namespace'
    expect(known).toEqual(['nft', 'netns is not what it should be', none, none])
    // It was not answered yet, and cannot have done anything.
    expect(done).toEqual([])
  })

  test('may arrive byte by byte', async () => {
    const { client } = await serve()
    const one = client()
    for (const byte of requestOf('web')) one.socket.write(Uint8Array.of(byte))
    expect(await one.answer).toEqual(skipped('web'))
  })

  test('of another version is refused with both versions, and so is what is no request', async () => {
    const { client } = await serve()
    expect(await client(requestOf('web', { version: '9' })).answer).toEqual({
      act: 'refused',
      reason: 'version',
      detail: 'this is version 1.2.3, protocol 3; asked were 9 and 3',
    })
    expect(await client(encodeFrame('{')).answer).toMatchObject({ act: 'refused', reason: 'request' })
    expect(await client(encodeFrame({ x: 1 })).answer).toMatchObject({ act: 'refused', reason: 'request' })
  })

  test('that fails in an unforeseen way is refused', async () => {
    const { client } = await serve({ answer: () => Promise.reject(new Error('no such thing')) })
    expect(await client(requestOf('web')).answer).toEqual({
      act: 'refused',
      reason: 'internal',
      detail: 'no such thing',
    })
  })

  test('is given up when its client has gone', async () => {
    const signals: AbortSignal[] = []
    const { client, answered } = await serve({
      answer: (_, signal) => {
        signals.push(signal)
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(skipped('left'))))
      },
    })
    const one = client(requestOf('web'))
    await until(() => expect(signals).toHaveLength(1))
    one.socket.destroy()
    await until(() => expect(answered).toEqual(['skip']))
  })
})

test('250 calls at once are answered in the order of their arrival, and other work comes in between', async () => {
  const began: string[] = []
  let othersAfter = 0
  const { client } = await serve({
    bounds: { waiting: 64, burst: 256 },
    async answer(request) {
      if (began.push(nameIn(request)) === 1) {
        setTimeout(() => {
          othersAfter = began.length
        }, 1)
      }
      const until = performance.now() + 2
      while (performance.now() < until);
      return skipped(nameIn(request))
    },
  })
  const names = Array.from({ length: 250 }, (_, index) => `pod-${index}`)
  const answers = await Promise.all(names.map((name) => client(requestOf(name)).answer))
  expect(began).toEqual(names)
  expect(answers).toEqual(names.map(skipped))
  expect(othersAfter).toBeGreaterThan(0)
  expect(othersAfter).toBeLessThan(5)
})

describe('a client', () => {
  test.each<[string, Partial<ServerBounds>, Uint8Array | undefined, string]>([
    ['that sends nothing', { headersMs: 30 }, undefined, 'late'],
    ['that sends half of a request', { headersMs: 30 }, requestOf('web').subarray(0, 100), 'late'],
    ['that sends half of a header', { headersMs: 30 }, Uint8Array.of(1, 2, 3), 'late'],
    ['that announces more than is taken', {}, lengths(MAX_REQUEST, 1), 'long'],
    ['that sends garbage', {}, Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'), 'long'],
    ['that sends a huge document', {}, Buffer.alloc(2 * MAX_REQUEST, 0x7b), 'long'],
    ['that never says whether it is done', { totalMs: 50 }, requestOf('web'), 'late'],
    ['that says more than is taken', {}, Buffer.concat([requestOf('web'), lengths(0, MAX_REQUEST + 1)]), 'long'],
  ])('%s is cut off', async (_, bounds, bytes, reason) => {
    const { client, closed } = await serve({ bounds })
    await client(bytes).end
    expect(closed).toEqual([reason])
  })

  test('that sends bytes one by one for ever is cut off', async () => {
    const { client, closed } = await serve({ bounds: { headersMs: 50 } })
    const one = client(lengths(1000, 0))
    const timer = setInterval(() => one.socket.write('x'), 5)
    ends.push(() => clearInterval(timer))
    await one.end
    expect(closed).toEqual(['late'])
  })

  test('that asks again is not answered, and what it sends does not say that it is done', async () => {
    const { client, answered, done } = await serve()
    const one = client(Buffer.concat([requestOf('web'), requestOf('again'), requestOf('once more')]))
    await one.end
    expect(answered.length).toBeLessThan(2)
    expect(done).toEqual([])
  })
})

test('a client that sends more than one connection may is cut off', async () => {
  const { client, closed } = await serve({ bounds: { bytesOfOne: 100_000 } })
  await client(Buffer.concat([lengths(900_000, 0), Buffer.alloc(200_000, 0x20)])).end
  expect(closed).toEqual(['long'])
})

test('clients that together send more than the agent keeps are cut off, and the next one is answered', async () => {
  const { client, closed } = await serve({ bounds: { bytesOfAll: 100_000 } })
  const half = () => client(Buffer.concat([lengths(60_000, 0), Buffer.alloc(59_000, 0x20)]))
  const first = half()
  await until(() => expect(first.socket.bytesWritten).toBeGreaterThan(59_000))
  await half().end
  expect(closed).toEqual(['crowded'])
  first.socket.destroy()
  await first.end
  expect(await client(requestOf('web')).answer).toEqual(skipped('web'))
})

test('a hundred clients that wait are fewer soon, the oldest first, and a plugin is answered all the same', async () => {
  const { client, closed, path } = await serve({ bounds: { waiting: 10 } })
  const descriptors = () => readdirSync('/proc/self/fd').length
  const before = descriptors()
  const idle = Array.from({ length: 100 }, () => client(Uint8Array.of(1)))
  expect(await client(requestOf('web')).answer).toEqual(skipped('web'))
  await until(() => expect(closed.length).toBeGreaterThanOrEqual(90))
  expect(new Set(closed)).toEqual(new Set(['crowded']))
  for (const { socket } of idle) socket.destroy()
  for (const end of ends.splice(2).reverse()) await end()
  await until(() => expect(descriptors()).toBeLessThanOrEqual(before))
  expect(existsSync(path)).toBe(true)
})

test('how it serves is asked for over the same socket', async () => {
  const status = { version, pods: 'asked for', problem: 'GET /: cut' } as const
  const { path } = await serve({ status: () => status })
  const socket = connect(path)
  socket.write(statusQuestion())
  const reader = frameReader(10_000)
  const said = await new Promise((resolve) => {
    socket.on('data', (piece: Buffer) => {
      const frame = reader.push(piece)
      if (frame !== undefined) resolve(readStatus(frame))
    })
  })
  expect(said).toEqual(status)
  socket.destroy()
})

function lengths(json: number, bytes: number): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32LE(json, 0)
  header.writeUInt32LE(bytes, 4)
  return header
}
