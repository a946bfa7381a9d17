import { type CertificateOptions, createAuthority } from '@cni/kube/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sample, sampleTitle } from '../../../../test/deep.ts'
import { selfSigned } from '../../../kube/src/testing/certificate.ts'
import { type Both, both, isBuilt, NOT_BUILT } from '../same.ts'
import { askBoth, askSmall } from './client.ts'
import { httpsServer } from './servers.ts'

type KeyKind = NonNullable<CertificateOptions['key']>

const KINDS: readonly KeyKind[] = ['P-256', 'P-384', 'P-521', 'RSA-2048', 'RSA-4096']
const hosts = ['localhost', '127.0.0.1', '::1']
const authority = createAuthority('ca')
const ca = authority.cert
const identity = authority.issue('server', hosts)
const ok = { status: 200, text: 'GET / 0' }

describe.skipIf(!isBuilt)(`A server is trusted as on Node (${NOT_BUILT})`, () => {
  let client: Both
  beforeAll(async () => {
    client = await both('https-client')
  })
  afterAll(() => client[Symbol.dispose]())

  const keysAndVersions = KINDS.flatMap((key) =>
    (['TLSv1.2', 'TLSv1.3'] as const).map((version) => [key, version] as const),
  )
  it.for(sample(keysAndVersions, ([key]) => key))(
    `with a key of kind %s over %s, ${sampleTitle}`,
    async ([key, version]) => {
      const issuer = createAuthority('ca', { key })
      await using server = await httpsServer({
        ...issuer.issue('server', hosts),
        minVersion: version,
        maxVersion: version,
      })
      const { small, node } = await askBoth(client, { port: server.port, ca: issuer.cert })
      expect(small).toEqual(node)
      expect(small).toMatchObject(ok)
      const hands = await askBoth(client, { port: server.port, ca: issuer.cert, handshake: true })
      expect(hands.small).toEqual(hands.node)
      expect(hands.small).toMatchObject({ protocol: version, authorized: true, subject: 'CN=server', issuer: 'CN=ca' })
    },
  )

  it.for([
    ['TLS_AES_128_GCM_SHA256', 'TLSv1.3'],
    ['TLS_AES_256_GCM_SHA384', 'TLSv1.3'],
    ['TLS_CHACHA20_POLY1305_SHA256', 'TLSv1.3'],
    ['ECDHE-ECDSA-AES128-GCM-SHA256', 'TLSv1.2'],
    ['ECDHE-ECDSA-AES256-GCM-SHA384', 'TLSv1.2'],
    ['ECDHE-ECDSA-CHACHA20-POLY1305', 'TLSv1.2'],
  ] as const)('with the cipher %s', async ([ciphers, version]) => {
    await using server = await httpsServer({ ...identity, ciphers, minVersion: version, maxVersion: version })
    expect(await askSmall(client, { port: server.port, ca })).toMatchObject(ok)
  })

  it.for(['X25519', 'P-256', 'P-384', 'P-521'])('with the curve %s', async (ecdhCurve) => {
    await using server = await httpsServer({ ...identity, ecdhCurve })
    expect(await askSmall(client, { port: server.port, ca })).toMatchObject(ok)
  })

  it('by an intermediate authority that it sends, and by one only in `ca`', async () => {
    const intermediate = authority.issueAuthority('middle', { key: 'RSA-2048' })
    const { cert, key } = intermediate.issue('server', hosts)
    await using whole = await httpsServer({ cert: `${cert}${intermediate.cert}`, key })
    await using short = await httpsServer({ cert, key })
    for (const [port, trusted] of [
      [whole.port, ca],
      [whole.port, intermediate.cert],
      [short.port, intermediate.cert],
      [short.port, `${createAuthority('other').cert}\n${intermediate.cert}`],
    ] as const) {
      const { small, node } = await askBoth(client, { port, ca: trusted })
      expect(small).toEqual(node)
      expect(small).toMatchObject(ok)
    }
    for (const [allowPartialTrustChain, code] of [
      [true, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      [false, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ] as const) {
      const { small, node } = await askBoth(client, { port: short.port, ca, allowPartialTrustChain })
      expect([small.code, node.code]).toEqual([code, code])
    }
  })

  it.for<[string, string]>([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['localhost', '127.0.0.1'],
  ])('under the host %s', async ([host, address]) => {
    await using server = await httpsServer(identity, address)
    const { small, node } = await askBoth(client, { host, port: server.port, ca })
    expect(small).toEqual(node)
    expect(small).toMatchObject(ok)
  })

  it.for<[string, { names: string[]; servername?: string; host?: string; code?: string }]>([
    ['another name', { names: ['other.example'], code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
    ['another address', { names: ['127.0.0.2', '::1'], code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
    ['the address as a name only', { names: ['*.0.0.1'], code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
    ['no name at all, and the address as its subject', { names: [], code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
    ['the name that is asked for', { names: ['api.example'], servername: 'api.example' }],
    ['the name in capitals', { names: ['API.example'], servername: 'api.EXAMPLE' }],
    ['a wildcard', { names: ['*.example.org'], servername: 'api.example.org' }],
    [
      'a wildcard of another depth',
      { names: ['*.example.org'], servername: 'a.b.example.org', code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    ],
    [
      'the host, but not the name that is asked for',
      { names: hosts, servername: 'x.example', code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    ],
  ])('a certificate for %s', async ([, { names, code, ...asked }]) => {
    await using server = await httpsServer(authority.issue('127.0.0.1', names))
    const { small, node } = await askBoth(client, { port: server.port, ca, ...asked })
    expect(small.code).toBe(node.code)
    expect(small.code).toBe(code)
  })

  const day = 86_400_000
  const past: CertificateOptions = { notBefore: new Date(Date.now() - 9 * day), notAfter: new Date(Date.now() - day) }
  const future: CertificateOptions = { notBefore: new Date(Date.now() + day), notAfter: new Date(Date.now() + 9 * day) }
  const self = selfSigned('127.0.0.1', hosts)
  const stranger = createAuthority('stranger')
  it.for<[string, { server: { cert: string; key: string }; trusted?: string; code: string }]>([
    ['expired', { server: authority.issue('s', hosts, past), code: 'CERT_HAS_EXPIRED' }],
    ['not valid yet', { server: authority.issue('s', hosts, future), code: 'CERT_NOT_YET_VALID' }],
    ['of an unknown authority', { server: stranger.issue('s', hosts), code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }],
    [
      'of an unknown authority of the same name',
      { server: createAuthority('ca').issue('s', hosts), code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' },
    ],
    ['expired and of an unknown authority', { server: stranger.issue('s', hosts, past), code: 'CERT_HAS_EXPIRED' }],
    ['self-signed', { server: self, code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
    ['of an authority, for signatures only', { server: authority, code: 'INVALID_PURPOSE' }],
    [
      'of an unknown authority that the server sends',
      { server: withChain(stranger.issue('s', hosts), stranger.cert), code: 'SELF_SIGNED_CERT_IN_CHAIN' },
    ],
    ['for clients only', { server: authority.issue('s', hosts, { use: 'client' }), code: 'INVALID_PURPOSE' }],
  ])('rejects a certificate that is %s', async ([, { server: served, trusted = ca, code }]) => {
    await using server = await httpsServer(served)
    const { small, node } = await askBoth(client, { port: server.port, ca: trusted })
    expect([small.code, node.code]).toEqual([code, code])
    const careless = await askBoth(client, { port: server.port, ca: trusted, rejectUnauthorized: false })
    expect(careless.small).toEqual(careless.node)
    expect(careless.small).toMatchObject(ok)
    const hands = await askBoth(client, { port: server.port, ca: trusted, rejectUnauthorized: false, handshake: true })
    expect(hands.small).toMatchObject({
      authorized: false,
      error: code,
      subject: hands.node.subject,
      issuer: hands.node.issuer,
    })
  })

  it('rejects an expired authority', async () => {
    const old = createAuthority('old', past)
    await using server = await httpsServer(old.issue('s', hosts, { notAfter: new Date(Date.now() + day) }))
    const { small, node } = await askBoth(client, { port: server.port, ca: old.cert })
    expect([small.code, node.code]).toEqual(['CERT_HAS_EXPIRED', 'CERT_HAS_EXPIRED'])
  })

  it('by its own certificate in `ca`, but not by another one with equal names', async () => {
    const own = stranger.issue('s', hosts)
    await using server = await httpsServer(own)
    const known = await askBoth(client, { port: server.port, ca: `${ca}${own.cert}` })
    expect(known.small).toEqual(known.node)
    expect(known.small).toMatchObject(ok)
    const code = 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'
    const other = await askBoth(client, { port: server.port, ca: stranger.issue('s', hosts).cert })
    expect([other.small.code, other.node.code]).toEqual([code, code])
  })

  it('trusts no server without `ca`', async () => {
    await using server = await httpsServer(identity)
    const small = await askSmall(client, { port: server.port })
    expect(small).toMatchObject({
      code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      message: expect.stringContaining('option ca'),
    })
  })

  it('names Ed25519 in the error that rejects it', async () => {
    const modern = createAuthority('modern', { key: 'Ed25519' })
    await using own = await httpsServer(authority.issue('s', hosts, { key: 'Ed25519' }))
    await using signed = await httpsServer(modern.issue('s', hosts, { key: 'P-256' }))
    const named = expect.stringContaining('Ed25519')
    expect(await askSmall(client, { port: own.port, ca })).toMatchObject({ code: 'EPROTO', message: named })
    expect(await askSmall(client, { port: signed.port, ca })).toMatchObject({
      code: 'CERT_UNSUPPORTED_ALGORITHM',
      message: named,
    })
    expect(await askSmall(client, { port: signed.port, ca: modern.cert })).toMatchObject({
      code: 'ERR_OSSL_UNSUPPORTED',
      message: named,
    })
    const { cert, key } = authority.issue('c', [], { key: 'Ed25519', use: 'client' })
    expect(await askSmall(client, { port: signed.port, ca, cert, key })).toMatchObject({
      code: 'ERR_OSSL_UNSUPPORTED',
      message: named,
    })
  })
})

function withChain(issued: { cert: string; key: string }, chain: string): { cert: string; key: string } {
  return { cert: `${issued.cert}${chain}`, key: issued.key }
}
