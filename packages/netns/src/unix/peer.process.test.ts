import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { peerOf } from './peer.ts'

let folder: string
let server: Server
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-peer-'))
  server = createServer()
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

const connection = async (): Promise<Socket> => {
  const [socket] = await once(server, 'connection', { signal: AbortSignal.timeout(10_000) })
  return socket
}

test('the peer is the process that connected, with its user and group', async () => {
  const path = join(folder, 's')
  server.listen(path)
  const script = `require('node:net').connect(${JSON.stringify(path)}).resume()`
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  try {
    const socket = await connection()
    expect(peerOf(socket)).toEqual({ pid: child.pid, uid: process.getuid?.(), gid: process.getgid?.() })
    socket.destroy()
    expect(() => peerOf(socket)).toThrow(expect.objectContaining({ name: 'NetnsError', code: 'CLOSED' }))
  } finally {
    child.kill()
  }
})

test('a socket without a peer is refused, and the error names it', async () => {
  using file = closing(openSync('/dev/null', 'r'))
  const tcp = createServer().listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  try {
    expect(() => peerOf(Reflect.get(tcp, '_handle').fd)).toThrow(
      /^Descriptor \d+ has no peer: it is not a connected unix socket$/,
    )
  } finally {
    tcp.close()
  }
  expect(() => peerOf(file.fd)).toThrow(expect.objectContaining({ code: 'ENOTSOCK' }))
  expect(() => peerOf(99_999)).toThrow(expect.objectContaining({ code: 'EBADF' }))
})

const closing = (fd: number) => ({ fd, [Symbol.dispose]: () => closeSync(fd) })
