import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectUnix } from './connect.ts'
import type { UnixConnection } from './connection.ts'
import { listenUnix } from './listen.ts'

let folder: string
let file: number
let before: number
const opened: Disposable[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-unix-'))
  file = openSync('/dev/null', 'r')
  before = descriptors()
})
afterEach(async () => {
  for (const each of opened.splice(0)) each[Symbol.dispose]()
  // Every test must close all its descriptors.
  await expect.poll(descriptors, { timeout: 10_000 }).toBe(before)
  closeSync(file)
  rmSync(folder, { recursive: true })
})

const descriptors = () => readdirSync('/proc/self/fd').length
const isOpen = (fd: number) => existsSync(`/proc/self/fd/${fd}`)

/** Both ends of a connection. */
async function pair(options: Parameters<typeof connectUnix>[1] = {}) {
  const path = join(folder, 's')
  const ends = await new Promise<UnixConnection[]>((resolve, reject) => {
    const onConnection = (accepted: UnixConnection) => {
      listener.close()
      resolve([client, accepted])
    }
    const listener = listenUnix(path, { ...options, onConnection, onError: reject })
    const client = connectUnix(path, options)
  })
  opened.push(...ends)
  const [client, accepted] = ends
  if (client === undefined || accepted === undefined) throw new Error('not connected')
  return [client, accepted] as const
}

const received = async (connection: UnixConnection) => {
  using message = await connection.receive()
  return message === undefined ? undefined : String(message.bytes)
}
const bytes = (text: string) => Buffer.from(text)
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error) => error.code,
  )

describe.each(['seqpacket', 'stream'] as const)('%s', (type) => {
  test('a message arrives with copies of its descriptors, which are close-on-exec', async () => {
    const [a, b] = await pair({ type })
    await a.send(bytes('two'), [file, file])
    using message = await b.receive()
    expect(message).toMatchObject({ bytes: bytes('two'), bytesLost: 0, fdsLost: false })
    expect(message?.fds.map((fd) => fstatSync(fd).rdev)).toEqual(Array(2).fill(fstatSync(file).rdev))
    for (const fd of message?.fds ?? []) expect(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')).toMatch(/flags:\t02/)
  })

  test('disposing of a message closes its descriptors, except those taken', async () => {
    const [a, b] = await pair({ type })
    await a.send(bytes('x'), [file, file, file])
    const message = await b.receive()
    const all = [...(message?.fds ?? [])]
    const taken = message?.takeFd()
    message?.[Symbol.dispose]()
    expect([taken, message?.takeFd()]).toEqual([all[0], undefined])
    expect(all.map(isOpen)).toEqual([true, false, false])
    closeSync(taken ?? -1)
  })

  test('each end knows the process at the other end', async () => {
    const own = { pid: process.pid, uid: process.getuid?.(), gid: process.getgid?.() }
    expect((await pair({ type })).map(({ peer }) => peer)).toEqual([own, own])
  })

  test('a waiting receiver gets the messages sent before the end, then the end', async () => {
    const [a, b] = await pair({ type })
    // The unread message makes the kernel reset the connection at close.
    await b.send(bytes('unread'))
    await a.send(bytes('last'), [file])
    a.close()
    await b.closed
    expect([await received(b), await received(b), await received(b)]).toEqual(['last', undefined, undefined])
    expect(await codeOf(b.send(bytes('x')))).toBe('EPIPE')
    const [c, d] = await pair({ type })
    const waiting = received(d)
    await turn()
    c.close()
    expect(await waiting).toBeUndefined()
  })

  test('a slow peer delays the sender but not the event loop; the sender may reuse bytes and descriptors at once', async () => {
    const [a, b] = await pair({ type, maxPending: 100_000 })
    const text = Buffer.alloc(10_000)
    const copy = openSync('/dev/null', 'r')
    const sends: Promise<string>[] = []
    for (let count = 0; count < 100; count++) {
      text.fill(count)
      sends.push(codeOf(a.send(text, [copy])))
    }
    closeSync(copy)
    await turn()
    const codes = Promise.all(sends).finally(a.close)
    const results = new Set<number>()
    let fds = 0
    for await (using message of b) {
      for (const byte of message.bytes) results.add(byte)
      fds += message.fds.length
    }
    const accepted = (await codes).indexOf('FULL')
    expect(accepted).toBeGreaterThan(10)
    expect([...results]).toEqual([...Array(accepted).keys()])
    expect(fds).toBe(accepted)
  })

  test('close drops unsent messages with their descriptors, and ends a waiting receive', async () => {
    const [a, b] = await pair({ type })
    const sends = Array.from({ length: 60 }, () => codeOf(a.send(Buffer.alloc(10_000), [file])))
    await turn()
    const waiting = a.receive()
    a.close()
    a.close()
    expect(new Set(await Promise.all(sends))).toEqual(new Set(['no error', 'CLOSED']))
    expect(await waiting).toBeUndefined()
    expect(await a.receive()).toBeUndefined()
    await a.closed
    expect(await codeOf(a.send(bytes('x')))).toBe('CLOSED')
    b.close()
    expect(descriptors()).toBe(before)
  })

  test('10000 messages with descriptors leave none open', async () => {
    const [a, b] = await pair({ type })
    const sending = (async () => {
      for (let count = 0; count < 10_000; count++) await a.send(bytes('x'), [file])
      a.close()
    })()
    let fds = 0
    for await (using message of b) fds += message.fds.length
    await sending
    b.close()
    expect([fds, descriptors()]).toEqual([10_000, before])
  })

  test('descriptors beyond maxFds are closed, and fdsLost reports it', async () => {
    const [a, b] = await pair({ type, maxFds: 3 })
    const open = descriptors()
    for (const count of [3, 4, 250, 253]) {
      await a.send(bytes('x'), Array(count).fill(file))
      using message = await b.receive()
      expect([message?.fds.length, message?.fdsLost, descriptors() - open]).toEqual([3, count > 3, 3])
    }
    expect(descriptors()).toBe(open)
    const [c, d] = await pair({ type, maxFds: 0 })
    await c.send(bytes('x'), [file])
    expect(await d.receive()).toMatchObject({ fds: [], fdsLost: true })
  })

  test('an aborted receive takes no message', async () => {
    const [a, b] = await pair({ type })
    const abort = new AbortController()
    const aborted = b.receive({ signal: abort.signal })
    const next = b.receive()
    abort.abort(new Error('enough'))
    await expect(aborted).rejects.toThrow('enough')
    await expect(b.receive({ signal: abort.signal })).rejects.toThrow('enough')
    await a.send(bytes('hello'))
    expect((await next)?.bytes).toEqual(bytes('hello'))
  })

  test('a flood of messages does not block the event loop', async () => {
    const [a, b] = await pair({ type })
    let turns = 0
    const sending = (async () => {
      for (let count = 0; count < 1000; count++) await a.send(bytes('x'))
      a.close()
    })()
    const counting = (async () => {
      for (; turns < 5; turns++) await turn()
    })()
    for await (using _ of b);
    expect(turns).toBe(5)
    await Promise.all([sending, counting])
  })

  test.each([
    ['no bytes', '', 0, 'INVALID'],
    ['254 descriptors', 'x', 254, 'INVALID'],
  ])('%s are refused', async (_, text, fds, code) => {
    const [a] = await pair({ type })
    expect(await codeOf(a.send(bytes(text), Array(fds).fill(file)))).toBe(code)
  })

  test('a closed descriptor is refused, and the connection continues', async () => {
    const [a, b] = await pair({ type })
    expect(await codeOf(a.send(bytes('x'), [99_999]))).toBe('EBADF')
    await a.send(bytes('y'))
    expect(await received(b)).toBe('y')
  })
})

test('packets keep their boundaries; a packet beyond maxBytes is truncated and reported', async () => {
  const [a, b] = await pair({ maxBytes: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 20 }), { maxLength: 10 }), async (packets) => {
      for (const packet of packets) await a.send(packet)
      for (const packet of packets) {
        using message = await b.receive()
        expect(message?.bytes).toEqual(Buffer.from(packet.subarray(0, 8)))
        expect(message?.bytesLost).toBe(Math.max(0, packet.length - 8))
      }
    }),
    { numRuns: 50 },
  )
})

test('a packet larger than the kernel accepts is refused, sent at once or queued, and the next one is sent', async () => {
  const [a, b] = await pair({ maxPending: 10_000_000 })
  expect(await codeOf(a.send(Buffer.alloc(1_000_000)))).toBe('EMSGSIZE')
  const sends: Promise<string>[] = []
  for (let count = 0; count < 40; count++) sends.push(codeOf(a.send(Buffer.alloc(10_000))))
  sends.push(codeOf(a.send(Buffer.alloc(1_000_000))), codeOf(a.send(bytes('end'))))
  for await (using message of b) if (String(message.bytes) === 'end') break
  expect((await Promise.all(sends)).slice(-2)).toEqual(['EMSGSIZE', 'no error'])
})

test('a stream sends more than its buffer holds without loss', async () => {
  const [a, b] = await pair({ type: 'stream', maxBytes: 1000, maxPending: 0 })
  const sent = Buffer.alloc(3_000_000, 'Ab1é')
  void a.send(sent, [file]).then(() => a.close())
  const parts: Buffer[] = []
  let fds = 0
  for await (using message of b) {
    parts.push(message.bytes)
    fds += message.fds.length
  }
  expect([Buffer.concat(parts).equals(sent), fds]).toEqual([true, 1])
})

test('a client of node:net that has ended its side gets its answer, and the server sees the end', async () => {
  const path = join(folder, 's')
  const onConnection = async (connection: UnixConnection) => {
    using it = connection
    const parts: string[] = []
    for await (using message of it) parts.push(String(message.bytes))
    await it.closed
    await it.send(bytes(`got ${parts.join('')}`))
  }
  const onError = (error: unknown) => {
    throw error
  }
  using _ = listenUnix(path, { type: 'stream', onConnection, onError })
  const client = connect({ path, allowHalfOpen: true })
  client.end('hello')
  expect(String(Buffer.concat(await client.toArray()))).toBe('got hello')
})

test.each([
  [{ maxBytes: 0 }, 'maxBytes is 0: it must be an integer from 1 to 67108864'],
  [{ maxFds: 254 }, 'maxFds is 254: it must be an integer from 0 to 253'],
  [{ maxPending: Number.NaN }, 'maxPending is NaN'],
  [Object({ type: 'dgram' }), 'Unknown type of unix socket: "dgram"'],
])('%o is refused', (options, message) => {
  expect(() => connectUnix(join(folder, 's'), options)).toThrow(message)
  expect(descriptors()).toBe(before)
})
