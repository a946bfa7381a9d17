import { createPrivateKey } from 'node:crypto'
import { type CertificateOptions, createAuthority } from '@cni/kube/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Both, both, isBuilt, NOT_BUILT } from '../same.ts'
import { askBoth, askSmall } from './client.ts'
import { httpsServer } from './servers.ts'

type KeyKind = NonNullable<CertificateOptions['key']>

const authority = createAuthority('ca')
const ca = authority.cert
const identity = authority.issue('server', ['127.0.0.1'])
const demanding = { ...identity, ca, requestCert: true, rejectUnauthorized: true }
const clientOf = (key: KeyKind) => authority.issue('client', [], { key, use: 'client' })

describe.skipIf(!isBuilt)(`A client shows its certificate (${NOT_BUILT})`, () => {
  let client: Both
  beforeAll(async () => {
    client = await both('https-client')
  })
  afterAll(() => client[Symbol.dispose]())

  it.for<[KeyKind, 'pkcs8' | 'pkcs1' | 'sec1']>([
    ['P-256', 'pkcs8'],
    ['P-256', 'sec1'],
    ['P-384', 'sec1'],
    ['P-521', 'pkcs8'],
    ['RSA-2048', 'pkcs8'],
    ['RSA-2048', 'pkcs1'],
    ['RSA-4096', 'pkcs1'],
  ])('with a key of kind %s as %s', async ([kind, type]) => {
    const { cert, key } = clientOf(kind)
    const written = createPrivateKey(key).export({ type, format: 'pem' }).toString()
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      await using server = await httpsServer({ ...demanding, minVersion: version, maxVersion: version })
      expect(await askSmall(client, { port: server.port, ca, cert, key: written })).toMatchObject({ text: 'GET / 0' })
    }
  })

  it('from an intermediate authority, with its chain', async () => {
    const middle = authority.issueAuthority('middle', { key: 'RSA-2048' })
    const { cert, key } = middle.issue('client', [], { use: 'client' })
    await using server = await httpsServer(demanding)
    const asked = { port: server.port, ca, cert: `${cert}${middle.cert}`, key }
    expect(await askSmall(client, asked)).toMatchObject({ text: 'GET / 0' })
  })

  it.for(['TLSv1.2', 'TLSv1.3'] as const)('and gets an error without a certificate over %s', async (version) => {
    await using server = await httpsServer({ ...demanding, minVersion: version, maxVersion: version })
    const small = await askSmall(client, { port: server.port, ca })
    expect(small.code).toMatch(/^(EPROTO|ECONNRESET)$/)
  })

  const damaged = '-----BEGIN CERTIFICATE-----\nMIIB\n'
  const good = clientOf('P-256')
  it.for([
    ['damaged', { cert: damaged, key: damaged }],
    ['no PEM', { cert: 'x', key: 'y' }],
    ['of another key', { cert: good.cert, key: clientOf('P-256').key }],
    ['of a key of another kind', { cert: good.cert, key: clientOf('RSA-2048').key }],
    ['cut off', { cert: good.cert, key: good.key.slice(0, 60) }],
  ] as const)('and gets an error if the certificate is %s', async ([, asked]) => {
    await using server = await httpsServer(demanding)
    const { small, node } = await askBoth(client, { port: server.port, ca, ...asked })
    expect(small.code).toMatch(/^ERR_OSSL_/)
    expect(node.code).toMatch(/^ERR_/)
  })

  it.for([
    ['damaged', damaged],
    ['no PEM', 'nothing'],
    ['a key', good.key],
  ])('and gets an error if `ca` is %s', async ([, text]) => {
    await using server = await httpsServer(identity)
    expect((await askSmall(client, { port: server.port, ca: text })).code).toMatch(/^ERR_OSSL_/)
  })

  it('and rejects options that the small runtime lacks', async () => {
    for (const option of [{ ciphers: 'x' }, { pfx: 'x' }, { minVersion: 'TLSv1.3' }, { passphrase: 'x' }] as const) {
      const small = await askSmall(client, { port: 1, ca, ...option })
      expect(small).toMatchObject({ code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM' })
    }
  })
})
