import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runtimePrograms } from '../../test/runtime-programs.ts'

const script = fileURLToPath(new URL('../../test/post-once.ts', import.meta.url))

/** Each runtime has a way of its own to post; to the rest of the plugin they have to be the same. */
describe.each(runtimePrograms)('a post over a unix socket, on %s', (_, runtime) => {
  const post = async (socket: string, env: Readonly<Record<string, string>> = {}) => {
    const argv = [runtime, '--conditions=@cni/source', script, socket, '700'] as const
    const { stdout } = await run(argv, { env: { PATH: process.env.PATH, ...env }, timeout: 20_000 })
    return JSON.parse(stdout)
  }

  test('is one request with its body, whatever proxy the environment names', async () => {
    const server = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone'))
    const proxy = 'http://127.0.0.1:1'
    const env = { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy, NODE_USE_ENV_PROXY: '1' }
    expect(await post(server.path, env)).toMatchObject({ status: 200, body: 'done' })
    expect(server.received).toHaveLength(1)
    expect(server.received[0]).toMatch(/^POST \/log HTTP\/1\.1\r\n/)
    expect(server.received[0]).toMatch(/\r\ncontent-type: application\/json\r\n/i)
    expect(server.received[0]).toMatch(/\r\n\r\n\["a"\]$/)
  })

  test.each<[string, (socket: Socket) => void, object]>([
    [
      'a refusal',
      (socket) => socket.end('HTTP/1.1 503 No\r\ncontent-length: 2\r\n\r\nno'),
      { status: 503, body: 'no' },
    ],
    ['silence', () => {}, { problem: 'no answer within 700 ms' }],
    ['a cut connection', (socket) => socket.destroy(), { problem: 'ECONNRESET: the connection was cut' }],
    [
      'an answer that is none',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n\r\n'),
      { problem: expect.stringMatching(/^\w+: the answer is not HTTP$/) },
    ],
    [
      'an answer without end',
      (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n`)
        socket.write('x'.repeat(2_000_000))
      },
      { problem: expect.stringContaining('larger than') },
    ],
  ])('tells %s apart', async (_, answer, expected) => {
    expect(await post((await listen(answer)).path)).toMatchObject(expected)
  })

  test('says when nobody is there', async () => {
    const folder = temporaryFolder()
    expect(await post(join(folder, 'none.sock'))).toEqual({ problem: 'ENOENT: there is no such socket' })
    writeFileSync(join(folder, 'file.sock'), '')
    expect(await post(join(folder, 'file.sock'))).toEqual({ problem: 'ECONNREFUSED: nobody listens there' })
    symlinkSync('loop.sock', join(folder, 'loop.sock'))
    expect(await post(join(folder, 'loop.sock'))).toEqual({ problem: 'ELOOP: symbolic links lead in a circle' })
  })
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'unix-post-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A server that answers a request, once its body is there, with whatever it is told. */
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
