import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runtimePrograms } from '../../../kube/test/runtime-programs.ts'

const script = fileURLToPath(new URL('../../test/ask-once.ts', import.meta.url))

describe.each(runtimePrograms)('a request over a unix socket, on %s', (name, runtime) => {
  const ask = async (socket: string, env: Readonly<Record<string, string>> = {}) => {
    const argv = [...runtime, script, socket, '700'] as const
    const { stdout } = await run(argv, { env: { PATH: process.env.PATH, ...env }, timeout: 20_000 })
    return JSON.parse(stdout)
  }

  test('is one request with its body, and ignores proxies in the environment', async () => {
    const server = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone'))
    const proxy = 'http://127.0.0.1:1'
    const env = { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, NODE_USE_ENV_PROXY: '1' }
    expect(await ask(server.path, env)).toEqual({ answer: 'done' })
    expect(server.received).toHaveLength(1)
    expect(server.received[0]).toMatch(/^POST \/log HTTP\/1\.0\r\n/)
    expect(server.received[0]).toMatch(/\r\ncontent-type: application\/json\r\n/i)
    expect(server.received[0]).toMatch(/\r\n\r\n\["a"\]$/)
  })

  test.each<[string, (socket: Socket) => void, object]>([
    [
      'a refusal',
      (socket) => socket.end('HTTP/1.1 503 No\r\ncontent-length: 2\r\n\r\nno'),
      { refusal: { status: 503, body: 'no' } },
    ],
    ['silence', () => {}, { reason: 'no answer within 700 ms' }],
    ['a cut connection', (socket) => socket.destroy(), { reason: 'the connection was closed without an answer' }],
    ['an answer that is not HTTP', (socket) => socket.end('\u0006{}'), { reason: 'the answer is not HTTP' }],
    [
      'an answer without end',
      (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n`)
        socket.write('x'.repeat(2_000_000))
      },
      { reason: expect.stringContaining('larger than') },
    ],
  ])('distinguishes %s', async (_, answer, expected) => {
    expect(await ask((await listen(answer)).path)).toMatchObject(expected)
  })

  test('reports a missing daemon', async () => {
    const folder = temporaryFolder()
    expect(await ask(join(folder, 'none.sock'))).toEqual({ code: 'ENOENT', reason: 'it does not exist' })
    writeFileSync(join(folder, 'file.sock'), '')
    expect(await ask(join(folder, 'file.sock'))).toEqual({ code: 'ECONNREFUSED', reason: 'no program listens' })
    symlinkSync('loop.sock', join(folder, 'loop.sock'))
    // bun's sockets report no other reason.
    const looped =
      name === 'bun'
        ? { code: 'ECONNREFUSED', reason: 'no program listens' }
        : { code: 'ELOOP', reason: expect.stringContaining('ELOOP') }
    expect(await ask(join(folder, 'loop.sock'))).toEqual(looped)
  })
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ask-daemon-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A server that sends the given answer after it has received a request's body. */
async function listen(answer: (socket: Socket) => void) {
  const path = join(temporaryFolder(), 'log.sock')
  const received: string[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk
      if (!text.endsWith('["a"]')) return
      received.push(text)
      answer(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { path, received }
}
