import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { CloseReason, ServerBounds } from './bounded-connections.ts'
import { boundedServer } from './bounded-server.ts'
import { listen, portOf, shut } from './listen.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const roomy: ServerBounds = { waiting: 100, burst: 100, headersMs: 60_000, totalMs: 60_000 }

/**
 * Starts a server with these limits. Returns the reasons of its closed connections and a function that connects a
 * client.
 */
async function serve(bounds: Partial<ServerBounds>, handle: RequestListener = (_, response) => response.end('done')) {
  const closed: CloseReason[] = []
  const server = boundedServer(handle, { bounds: { ...roomy, ...bounds }, closed: (reason) => closed.push(reason) })
  await listen(server, 0)
  ends.push(() => shut(server))
  const client = async (text: string): Promise<Client> => {
    const socket = connect(portOf(server), '127.0.0.1')
    ends.push(() => void socket.destroy())
    let received = ''
    const end = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
    socket.setEncoding('utf8').on('error', () => {})
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write(text)
    await once(socket, 'connect')
    return { socket, end }
  }
  return { closed, client }
}

interface Client {
  readonly socket: Socket
  /** Data received until the connection closed. */
  readonly end: Promise<string>
}

const half = 'GET / HTTP/1.1\r\nHost: x\r\n'
const whole = `${half}\r\n`

describe('a bounded server', () => {
  test('closes the connections that have waited longest, and answers the newest', async () => {
    const { closed, client } = await serve({ waiting: 3 })
    const waiting: Client[] = []
    for (let made = 0; made < 6; made += 1) waiting.push(await client(half))
    expect(await (await client(whole)).end).toMatch(/^HTTP\/1\.1 200 .*done$/s)
    expect(await Promise.all(waiting.slice(0, 3).map(({ end }) => end))).toEqual(['', '', ''])
    for (const { socket } of waiting.slice(3)) socket.write('\r\n')
    const answers = await Promise.all(waiting.slice(3).map(({ end }) => end))
    expect(answers.filter((answer) => answer.endsWith('done')).length).toBeGreaterThanOrEqual(2)
    expect(new Set(closed)).toEqual(new Set(['crowded']))
  })

  test('reads simultaneous requests before their connections count as waiting', async () => {
    const { closed, client } = await serve({ waiting: 1, burst: 50 })
    const clients = await Promise.all(Array.from({ length: 50 }, () => client(whole)))
    for (const { end } of clients) expect(await end).toMatch(/^HTTP\/1\.1 200 /)
    expect(closed).toEqual([])
  })

  test('has never more connections than a burst, including connections whose request is in progress', async () => {
    const { closed, client } = await serve({ burst: 5 }, () => {})
    const clients: Client[] = []
    for (let made = 0; made < 8; made += 1) clients.push(await client(whole))
    await Promise.all(clients.slice(0, 3).map(({ end }) => end))
    expect(closed).toEqual(['crowded', 'crowded', 'crowded'])
  })

  test.each([
    ['without a request', { headersMs: 100 }, half],
    ['without a response', { totalMs: 100 }, whole],
  ])('closes a connection %s after its deadline', async (_, bounds, text) => {
    const { closed, client } = await serve(bounds, () => {})
    expect(await (await client(text)).end).toBe('')
    expect(closed).toEqual(['late'])
  })

  test('closes a connection whose request exceeds the size limit', async () => {
    const { closed, client } = await serve({ bytesOfOne: 100_000 }, (request) => void request.resume())
    const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000000\r\n\r\n'
    expect(await (await client(post + 'x'.repeat(200_000))).end).toBe('')
    expect(closed).toEqual(['long'])
  })

  test('closes the largest sender when all connections together send too much, and answers the others', async () => {
    const { closed, client } = await serve({ bytesOfAll: 150_000 }, (request, response) => {
      request.resume().once('end', () => response.end('done'))
    })
    const post = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`
    const large = await client(post(200_000) + 'x'.repeat(100_000))
    const small = await client(post(80_000) + 'x'.repeat(70_000))
    expect(await large.end).toBe('')
    small.socket.write('x'.repeat(10_000))
    expect(await small.end).toMatch(/^HTTP\/1\.1 200 .*done$/s)
    expect(closed).toEqual(['crowded'])
  })

  test('closes a connection that keeps sending requests before the first one is answered', async () => {
    const { closed, client } = await serve({}, () => {})
    expect(await (await client(whole.repeat(2000))).end).toBe('')
    expect(closed).toEqual(['long'])
  })

  test('serves one request per connection', async () => {
    let asked = 0
    const { closed, client } = await serve({}, (_, response) => {
      asked += 1
      setImmediate(() => response.end('done'))
    })
    const { end } = await client(whole.repeat(50))
    expect((await end).match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect([asked, closed]).toEqual([1, []])
  })
})
