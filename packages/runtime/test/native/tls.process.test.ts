import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { connect, createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createAuthority } from '@cni/kube/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sample, sampleTitle } from '../../../../test/deep.ts'
import { cannotCompile, sanitizedTls } from './sanitized.ts'

/** Long enough to compile Mbed TLS once. */
const TIMEOUT = 300_000

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

describe.skipIf(cannotCompile)(`the C of TLS under AddressSanitizer and UBSan, ${sampleTitle}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-tls-'))
  const ca = join(folder, 'ca.pem')
  const authority = createAuthority('ca', { key: 'RSA-2048' })
  const middle = authority.issueAuthority('middle')
  const { cert, key } = middle.issue('server', ['127.0.0.1'])
  let program = ''
  beforeAll(() => {
    writeFileSync(ca, authority.cert)
    program = sanitizedTls()
  }, TIMEOUT)
  afterAll(() => rmSync(folder, { recursive: true }))

  const ask = async (server: Server) => {
    const child = spawn(program, [String(portOf(server)), ca])
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { stdout, stderr, code }
  }
  const start = async (maxVersion: 'TLSv1.2' | 'TLSv1.3') => {
    const identity = { cert: `${cert}${middle.cert}`, key, maxVersion }
    const server = createServer(identity, (_, response) => response.end('x'.repeat(300_000)))
    server.on('tlsClientError', () => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  it.for(['TLSv1.2', 'TLSv1.3'] as const)('sends a request over %s', async (version) => {
    const server = await start(version)
    const { stdout, stderr, code } = await ask(server)
    server.close()
    expect([stderr, code]).toEqual(['', 0])
    expect(stdout.slice(0, 17)).toBe('0\nHTTP/1.1 200 OK')
    expect(stdout.endsWith('x'.repeat(300_000))).toBe(true)
  })

  it.for(sample(['TLSv1.2', 'TLSv1.3'] as const, () => 'random'))(
    'survives damaged bytes of a server over %s',
    async (version) => {
      const server = await start(version)
      let state = 7
      const draw = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return (state >>> 8) % below
      }
      const damaging = createTcpServer((socket) => {
        const real = connect(portOf(server), '127.0.0.1')
        for (const one of [socket, real]) one.on('error', () => {})
        socket.pipe(real)
        real.on('data', (bytes: Buffer) => {
          for (let count = draw(4); count > 0; count--) bytes[draw(bytes.length)] = draw(256)
          socket.write(draw(8) === 0 ? bytes.subarray(0, draw(bytes.length)) : bytes)
        })
        real.on('end', () => socket.end())
        // Ends the wait for the rest of a truncated message.
        const timer = setTimeout(() => socket.destroy(), 1000)
        socket.on('close', () => {
          clearTimeout(timer)
          real.destroy()
        })
      })
      damaging.listen(0, '127.0.0.1')
      await once(damaging, 'listening')
      const stages = new Set<string>()
      for (let round = 0; round < 15; round++) {
        const all = await Promise.all(Array.from({ length: 4 }, () => ask(damaging)))
        for (const { stdout, stderr } of all) {
          expect(stderr).toBe('')
          stages.add(stdout.slice(0, 1))
        }
      }
      for (const one of [server, damaging]) one.close()
      // Some rounds succeed, and some fail in the handshake.
      expect([...stages].sort()).toEqual(['0', '7'])
    },
  )
})
