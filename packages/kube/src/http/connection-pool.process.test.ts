import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runtimePrograms } from '../../test/runtime-programs.ts'
import { createAuthority } from '../testing/certificate.ts'

const script = fileURLToPath(new URL('../../test/pool-requests.ts', import.meta.url))

/** Each runtime keeps connections in its own way. All must behave the same. */
describe.each(runtimePrograms)('requests over kept connections, on %s', (_, runtime) => {
  let folder: string
  let server: Server
  let seen: { path: string; connection: number; token: string }[]
  let open: Set<TLSSocket>
  let mostOpen: number

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kept-'))
    const authority = createAuthority('trusted')
    writeFileSync(join(folder, 'ca'), authority.cert)
    writeFileSync(join(folder, 'stranger'), createAuthority('stranger').cert)
    seen = []
    open = new Set()
    mostOpen = 0
    let connections = 0
    server = createServer(authority.issue('server', ['127.0.0.1']), (socket) => {
      connections += 1
      const connection = connections
      open.add(socket)
      mostOpen = Math.max(mostOpen, open.size)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
      serve(socket, (path, token, served) => {
        seen.push({ path, connection, token })
        return answer(socket, path, { text: JSON.stringify({ connection, token }), served })
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true })
  })

  /** Outcomes of the requests in each step. The process must exit by itself in spite of open connections. */
  const requests = async (...steps: string[][]) => {
    const address = server.address()
    const origin = `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const files = [join(folder, 'ca'), join(folder, 'stranger')]
    const argv = [...runtime, script, origin, ...files, JSON.stringify(steps)] as const
    return JSON.parse((await run(argv, { timeout: 20_000 })).stdout)
  }
  const times = (path: string): number => seen.filter((one) => one.path === path).length

  test('one connection serves several requests, each with its own token', async () => {
    expect(await requests(['/ok'], ['/ok'], ['/ok'])).toEqual([
      { status: 200, connection: 1, token: 'Bearer 1' },
      { status: 200, connection: 1, token: 'Bearer 2' },
      { status: 200, connection: 1, token: 'Bearer 3' },
    ])
  })

  test.each([
    ['announces and closes after each answer', '/close'],
    ['closes after each answer without an announcement', '/end'],
    ['cuts each connection when it is idle', '/idle'],
  ])('a server that %s answers every request', async (_, path) => {
    const answers = await requests([path], [path], [path], ['/ok'])
    expect(answers.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200, 200])
  })

  test('a request that is cut on a reused connection is sent again over a new one', async () => {
    expect(await requests(['/ok'], ['/cut-if-used'])).toMatchObject([
      { connection: 1 },
      { status: 200, connection: 2, token: 'Bearer 2' },
    ])
    expect(times('/cut-if-used')).toBe(2)
  })

  test('a request without an answer on a reused connection is sent again over a new one', async () => {
    expect(await requests(['/ok'], ['/silent-if-used'], ['/ok'])).toMatchObject([
      { connection: 1 },
      { status: 200, connection: 2, token: 'Bearer 2' },
      { status: 200, connection: 3 },
    ])
  })

  test('a request is sent at most twice', async () => {
    expect(await requests(['/ok'], ['/cut'])).toMatchObject([{ status: 200 }, { failed: 'ECONNRESET' }])
    expect(times('/cut')).toBe(2)
  })

  test('a request that is cut on a new connection fails at once', async () => {
    expect(await requests(['/cut'])).toEqual([{ failed: 'ECONNRESET' }])
    expect(times('/cut')).toBe(1)
  })

  test('an incomplete answer is an error', async () => {
    expect(await requests(['/ok'], ['/half'], ['/ok'])).toMatchObject([
      { status: 200 },
      { failed: 'ECONNRESET' },
      { status: 200 },
    ])
  })

  test('a server that is no longer trusted gets no request', async () => {
    const [before, stranger] = await requests(['/ok'], ['/stranger'])
    expect(before).toMatchObject({ status: 200 })
    expect(stranger.failed).toMatch(/CERT|SELF_SIGNED|VERIFY/)
    expect(times('/stranger')).toBe(0)
  })

  test('two of many simultaneous connections are kept', async () => {
    const many = Array.from({ length: 8 }, () => '/ok')
    const answers = await requests(many, many, ...many.map((path) => [path]))
    expect(answers).toHaveLength(24)
    expect(answers.every(({ status }: { status: number }) => status === 200)).toBe(true)
    expect(mostOpen).toBeLessThanOrEqual(10)
    const [first, second] = [seen.slice(0, 8), seen.slice(8, 16)].map((batch) => batch.map((one) => one.connection))
    expect(second?.filter((one) => first?.includes(one))).toHaveLength(2)
  })

  test('after disposal requests still work, and no connection is kept', async () => {
    const [before, ...after] = await requests(['/ok'], ['dispose'], ['/ok'], ['/ok'])
    expect([before, ...after]).toMatchObject([{ connection: 1 }, { connection: 2 }, { connection: 3 }])
  })
})

/** Parses the heads of requests. `served` counts the earlier requests on the connection. */
function serve(socket: TLSSocket, each: (path: string, token: string, served: number) => void): void {
  let text = ''
  let served = 0
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    for (;;) {
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0)
      if (end === -1 || text.length < end + 4 + length) return
      const head = text.slice(0, end)
      text = text.slice(end + 4 + length)
      each(head.split(' ')[1] ?? '', /^authorization: *(.*)$/im.exec(head)?.[1]?.trim() ?? '', served)
      served += 1
    }
  })
}

function answer(
  socket: TLSSocket,
  path: string,
  { text, served }: { readonly text: string; readonly served: number },
): void {
  const close = path === '/close' ? 'connection: close\r\n' : ''
  const whole = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${close}content-length: ${text.length}\r\n\r\n${text}`
  if (path === '/cut' || (path === '/cut-if-used' && served > 0)) socket.destroy()
  else if (path === '/silent-if-used' && served > 0) socket.pause()
  else if (path === '/half') socket.write(whole.slice(0, -5), () => socket.destroy())
  else if (path === '/close' || path === '/end') socket.end(whole)
  else if (path === '/idle') socket.write(whole, () => socket.destroy())
  else socket.write(whole)
}
