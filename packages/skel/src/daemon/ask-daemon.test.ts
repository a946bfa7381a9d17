import { createServer, type RequestListener } from 'node:http'
import { createServer as createRawServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { askDaemon } from './ask-daemon.ts'

let socket: string
beforeEach(() => {
  socket = join(tempFolder(), 'daemon.sock')
})

/** Starts a daemon with the given behaviour. */
async function daemon(answer: RequestListener): Promise<void> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
}

const ask = (more: Partial<Parameters<typeof askDaemon>[1]> = {}) =>
  askDaemon(socket, { path: '/decide', body: '{"pod":"a"}', signal: new AbortController().signal, ...more })

it('returns the body of the answer', async () => {
  await daemon((request, response) => {
    const pieces: string[] = []
    request.on('data', (piece) => pieces.push(String(piece)))
    request.on('end', () => response.end(`${request.method} ${request.url} ${pieces.join('')}`))
  })
  expect(await ask()).toEqual({ answer: 'POST /decide {"pod":"a"}' })
})

it('waits for an answer that has begun', async () => {
  await daemon((_, response) => {
    response.writeHead(200).flushHeaders()
    setTimeout(() => response.end('later'), 200)
  })
  expect(await ask({ begunWithin: 150 })).toEqual({ answer: 'later' })
})

it.each<[string, RequestListener, Partial<Parameters<typeof askDaemon>[1]>, string, object?]>([
  ['says nothing', () => {}, { begunWithin: 50 }, 'no answer within 50 ms'],
  [
    'begins and does not end',
    (_, response) => void response.writeHead(200).flushHeaders(),
    { within: 150 },
    'no answer within 150 ms',
  ],
  [
    'has no such path',
    (_, response) => void response.writeHead(404).end('no'),
    {},
    'it answered 404 Not Found',
    { refusal: { status: 404, body: 'no' } },
  ],
  ['hangs up', (request) => void request.destroy(), {}, 'the connection was closed without an answer'],
  [
    'says too much',
    (_, response) => void response.end('x'.repeat(2000)),
    { maxBytes: 1000 },
    'the answer is larger than 1000 bytes',
  ],
])('returns no answer from a daemon that %s, and the reason', async (_, answer, more, reason, members = {}) => {
  await daemon(answer)
  expect(await ask(more)).toEqual({ reason, ...members })
})

it('returns no answer from another server, or if nothing listens', async () => {
  expect(await ask()).toEqual({ reason: 'it does not exist', code: 'ENOENT' })
  const server = createRawServer((connection) => connection.on('error', () => {}).end('\u0006{}'))
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  expect(await ask()).toEqual({ reason: 'the answer is not HTTP' })
})

it('ends with its call', async () => {
  await daemon(() => {})
  expect(await ask({ begunWithin: 5000, signal: AbortSignal.timeout(50) })).toMatchObject({
    reason: expect.stringContaining('timeout'),
  })
})
