import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAuthority } from '@cni/kube/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Asked } from '../programs/https-client.ts'
import { buildSmall, isBuilt, NOT_BUILT } from '../same.ts'
import type { Behaviour } from './dns-server.ts'
import { runIn } from './run-in.ts'

const canRun = isBuilt && process.getuid?.() === 0
const authority = createAuthority('ca')

describe.skipIf(!canRun)(`TLS to a name that DNS resolves (needs root; ${NOT_BUILT})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-names-'))
  let small = ''
  beforeAll(async () => {
    small = await buildSmall(fileURLToPath(new URL('../programs/https-client.ts', import.meta.url)), folder)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.for<[string, string, Behaviour, Partial<Asked>, object]>([
    ['a request', 'four.test', 'zone', {}, { status: 200, text: 'four.test:8443' }],
    ['a handshake', 'four.test', 'zone', { handshake: true }, { authorized: true }],
    ['a certificate of another name', 'other.test', 'zone', {}, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
    ['the option servername', 'other.test', 'zone', { servername: 'other.test' }, { status: 200 }],
    ['no such name', 'four.test', 'zone', { host: 'no.test' }, { message: 'getaddrinfo ENOTFOUND no.test' }],
    ['an abort of the lookup', 'four.test', 'silent', { abortMs: 100 }, { code: 'ABORT_ERR' }],
  ])('%s', async ([, name, behaviour, asked, expected]) => {
    const { cert, key } = authority.issue('s', [name])
    const argument = { host: 'four.test', port: 8443, ca: authority.cert, ...asked }
    const [ran] = await runIn(folder, {
      resolvConf: 'nameserver 127.0.1.1\n',
      servers: { '127.0.1.1': behaviour },
      commands: [[small, JSON.stringify(argument)]],
      tls: { cert, key },
    })
    expect(JSON.parse(ran?.stdout ?? '')).toMatchObject(expected)
    expect(ran?.ms).toBeLessThan(1900)
  })
})
