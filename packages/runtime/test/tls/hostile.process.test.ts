import type { Socket } from 'node:net'
import { createAuthority } from '@cni/kube/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Both, both, isBuilt, NOT_BUILT } from '../same.ts'
import { askBoth, askSmall } from './client.ts'
import { httpsServer, rawServer } from './servers.ts'

const authority = createAuthority('ca')
const ca = authority.cert
const hosts = ['127.0.0.1']

/** TLS 1.2 handshake record with this content. */
const record = (content: Uint8Array, length = content.length): Buffer =>
  Buffer.concat([Uint8Array.of(22, 3, 3, length >> 8, length & 255), content])

describe.skipIf(!isBuilt)(`A server that does not behave ends a request with an error (${NOT_BUILT})`, () => {
  let client: Both
  beforeAll(async () => {
    client = await both('https-client')
  })
  afterAll(() => client[Symbol.dispose]())

  it.for<[string, (socket: Socket) => void, string]>([
    ['plain HTTP', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), 'EPROTO'],
    ['garbage', (socket) => socket.end(Buffer.alloc(100_000, 0xa5)), 'EPROTO'],
    ['zeros', (socket) => socket.end(Buffer.alloc(1000)), 'EPROTO'],
    ['an end at once', (socket) => socket.end(), 'ECONNRESET'],
    ['a reset at once', (socket) => socket.resetAndDestroy(), 'ECONNRESET'],
    ['a reset after the hello', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'ECONNRESET'],
    ['an end within a record', (socket) => socket.end(record(new Uint8Array(10), 1000)), 'ECONNRESET'],
    ['a hello of zeros', (socket) => socket.end(record(Buffer.from([2, 0, 0, 80, ...new Uint8Array(80)]))), 'EPROTO'],
    ['a hello that is too long', (socket) => socket.end(record(Buffer.from([2, 255, 255, 255, 3, 3]))), 'ECONNRESET'],
    ['an alert', (socket) => socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40])), 'EPROTO'],
    ['empty records without end', (socket) => endless(socket, Buffer.from([22, 3, 3, 0, 0])), 'EPROTO'],
    ['handshake messages without end', (socket) => endless(socket, record(Buffer.alloc(16_000, 11))), 'EPROTO'],
  ])('%s', async ([, serve, code]) => {
    await using server = await rawServer(serve)
    expect(await askSmall(client, { port: server.port, ca, abortMs: 5000 })).toMatchObject({ code })
  })

  it.for<[string, (socket: Socket) => void]>([
    ['never answers', () => {}],
    ['never ends a record', (socket) => void socket.write(record(new Uint8Array(10), 1000))],
    ['sends warnings without end', (socket) => endless(socket, Buffer.from([21, 3, 3, 0, 2, 1, 90]))],
    ['drips', (socket) => void setInterval(() => socket.write(Uint8Array.of(22)), 50).unref()],
  ])('%s, until the signal', async ([, serve]) => {
    await using server = await rawServer(serve)
    const begun = performance.now()
    const small = await askSmall(client, { port: server.port, ca, abortMs: 300 })
    expect(['ABORT_ERR', 'EPROTO', 'ECONNRESET']).toContain(small.code)
    expect(performance.now() - begun).toBeLessThan(3000)
  })

  it.for([
    ['never answers', { path: '/never', abortMs: 300 }, { code: 'ABORT_ERR' }],
    ['cuts its answer', { path: '/cut' }, { code: 'ECONNRESET' }],
    ['answers with 5 MB', { path: '/large' }, { status: 200, length: 5_000_000 }],
    ['takes 3 MB', { method: 'POST', body: 'y'.repeat(100_000) }, { text: 'POST / 100000' }],
  ] as const)('%s over TLS, as on Node', async ([, asked, expected]) => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const identity = authority.issue('s', hosts)
      await using server = await httpsServer({ ...identity, minVersion: version, maxVersion: version })
      const { small, node } = await askBoth(client, { port: server.port, ca, ...asked })
      expect(small).toMatchObject(expected)
      expect(small.code).toBe(node.code)
    }
  })

  it('a server that does not exist', async () => {
    const { small, node } = await askBoth(client, { port: 1, ca })
    expect(small).toEqual(node)
    expect(small).toEqual({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:1' })
  })

  it('has an unknown name', async () => {
    // The code is EAI_AGAIN on a machine without a name server.
    const small = await askSmall(client, { host: 'no-such-host.invalid', port: 1, ca })
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(small.code)
  })
})

/** Writes until the connection is closed. */
function endless(socket: Socket, bytes: Uint8Array): void {
  const block = Buffer.concat(Array.from({ length: Math.ceil(64_000 / bytes.length) }, () => bytes))
  const write = (): void => {
    while (!socket.destroyed && socket.write(block)) {
      // until the kernel's buffer is full
    }
  }
  socket.on('drain', write)
  write()
}
