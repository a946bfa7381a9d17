import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sample, sampleTitle } from '../../../../test/deep.ts'
import { NODE } from '../../../../test/node.ts'
import { storedPod } from '../../test/pods.ts'
import { runtimePrograms } from '../../test/runtime-programs.ts'
import { type ApiServer, type Misbehaviour, startApiServer } from '../testing/api-server.ts'
import { type Authority, createAuthority } from '../testing/certificate.ts'
import { kubeconfigText } from '../testing/kubeconfig-text.ts'

const script = fileURLToPath(new URL('../../test/get-once.ts', import.meta.url))

const builder = fileURLToPath(new URL('../../../cni-build/src/cli.ts', import.meta.url))
const isSmallBuilt = existsSync(
  fileURLToPath(new URL(`../../../runtime-linux-${process.arch}/bin/cni-runtime-tls`, import.meta.url)),
)

type Program = readonly [file: string, ...args: string[]]
const programs: ReadonlyArray<readonly [name: string, prepare: (folder: string) => Promise<Program>]> = [
  ...runtimePrograms.map(([name, runtime]) => [name, async () => [...runtime, script] as const] as const),
  ['the small runtime', compiled],
]

/** Compiles the script with the small runtime. */
async function compiled(folder: string): Promise<Program> {
  const outfile = join(folder, 'get-once')
  const options = ['--condition', '@cni/source', '--no-snapshot', '--smoke', 'none', '-o', outfile]
  await run([...NODE, builder, script, ...options], { timeout: 60_000 })
  return [outfile]
}

/** Each runtime has its own transport. All must behave the same. */
describe.each(sample(isSmallBuilt ? programs : programs.slice(0, -1), () => 'runtime'))(
  `on %s, ${sampleTitle}`,
  (_, prepare) => {
    let folder: string
    let program: Program
    let api: ApiServer
    let elsewhere: ApiServer
    let stranger: Authority
    let proxy: Server
    let proxied = 0

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kube-runtimes-'))
      program = await prepare(folder)
      api = await startApiServer({ pods: [storedPod()] })
      stranger = createAuthority('stranger')
      elsewhere = await startApiServer({ pods: [storedPod()], certificate: stranger.issue('x', ['elsewhere.example']) })
      writeFileSync(join(folder, 'stranger.pem'), stranger.cert)
      proxy = createServer((socket) => {
        proxied += 1
        socket.destroy()
      })
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    })
    afterAll(async () => {
      await Promise.all([api.close(), elsewhere.close(), new Promise((resolve) => proxy.close(resolve))])
      rmSync(folder, { recursive: true })
    })

    const get = async (text: string, env: Readonly<Record<string, string>> = {}, timeoutMs = 5000) => {
      const kubeconfig = join(folder, 'kubeconfig')
      writeFileSync(kubeconfig, text)
      const argv = [...program, kubeconfig, String(timeoutMs)] as const
      const { stdout, stderr } = await run(argv, { env: { PATH: process.env.PATH, ...env }, timeout: 20_000 })
      expect(stdout + stderr).not.toContain(api.token)
      return JSON.parse(stdout)
    }
    const trusting = (server: ApiServer, ca: string | undefined) =>
      kubeconfigText({ server: server.url, ca, token: api.token })

    test('a pod is parsed', async () => {
      expect(await get(api.kubeconfig())).toEqual({ code: 'OK', name: 'web' })
      expect(api.requests.at(-1)?.headers).toMatchObject({
        accept: 'application/json',
        authorization: `Bearer ${api.token}`,
        'user-agent': 'istio-cni',
      })
    })

    test('the environment has no effect', async () => {
      const address = proxy.address()
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
      const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']
      const env = {
        ...Object.fromEntries(names.map((name) => [name, url])),
        NODE_USE_ENV_PROXY: '1',
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_EXTRA_CA_CERTS: join(folder, 'stranger.pem'),
        SSL_CERT_FILE: join(folder, 'stranger.pem'),
        BUN_CONFIG_VERBOSE_FETCH: 'curl',
      }
      expect(await get(api.kubeconfig(), env)).toMatchObject({ code: 'OK' })
      expect(await get(trusting(elsewhere, api.ca), env)).toMatchObject({ code: 'UNTRUSTED' })
      expect(proxied).toBe(0)
    })

    test('a server is trusted only as the kubeconfig says', async () => {
      expect(await get(trusting(api, stranger.cert))).toMatchObject({ code: 'UNTRUSTED' })
      expect(await get(trusting(elsewhere, stranger.cert))).toMatchObject({ code: 'UNTRUSTED' })
      expect(await get(trusting(elsewhere, undefined))).toMatchObject({ code: 'OK' })
    })

    test('the error for an untrusted certificate names it and the known ones', async () => {
      const { message } = await get(trusting(api, stranger.cert))
      expect(message).toMatch(
        /is not trusted \([A-Z_]+\): it presents "CN=kube-apiserver", issued by "CN=istio-redirect-test-ca"; known is "CN=stranger"$/,
      )
    })

    test('an intermediate authority alone is sufficient, as in Go', async () => {
      const intermediate = createAuthority('root').issueAuthority('cluster', { key: 'RSA-2048' })
      const { cert, key } = intermediate.issue('kube-apiserver', ['127.0.0.1'])
      await using server = await startApiServer({
        pods: [storedPod()],
        certificate: { cert: `${cert}${intermediate.cert}`, key },
      })
      expect(await get(trusting(server, intermediate.cert))).toMatchObject({ code: 'OK' })
    })

    test('a server on an IPv6 address is reached', async () => {
      await using server = await startApiServer({ pods: [storedPod()], host: '::1' })
      expect(await get(server.kubeconfig())).toMatchObject({ code: 'OK' })
    })

    const day = 86_400_000
    test.each([
      [
        'expired',
        { notBefore: new Date(Date.now() - 2 * day), notAfter: new Date(Date.now() - day) },
        'CERT_HAS_EXPIRED',
      ],
      ['not valid yet', { notBefore: new Date(Date.now() + day) }, 'CERT_NOT_YET_VALID'],
    ])('a server whose certificate is %s is not trusted', async (_, validity, reason) => {
      const authority = createAuthority('ca')
      const certificate = authority.issue('old', ['127.0.0.1'], validity)
      await using server = await startApiServer({ pods: [storedPod()], certificate })
      const { code, message } = await get(trusting(server, authority.cert))
      expect({ code, message }).toEqual({ code: 'UNTRUSTED', message: expect.stringContaining(`(${reason})`) })
      expect(server.requests).toEqual([])
    })

    test('a server with the certificate of another host is not trusted', async () => {
      const { code, message } = await get(trusting(elsewhere, stranger.cert))
      expect({ code, message }).toEqual({
        code: 'UNTRUSTED',
        message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
      })
    })

    test('unreadable certificates are an error of the kubeconfig, not of the network', async () => {
      const damaged = '-----BEGIN CERTIFICATE-----\nMIIB\n'
      const problem = { code: 'BAD_KUBECONFIG', message: expect.stringContaining('unusable TLS settings') }
      expect(await get(trusting(api, damaged))).toMatchObject(problem)
      const pair = ['certificate', 'key'].map((part) => `client-${part}-data: ${btoa(damaged)}`).join('\n    ')
      expect(await get(`${api.kubeconfig()}    ${pair}\n`)).toMatchObject(problem)
    })

    test('a missing server is a network error', async () => {
      const nobody = kubeconfigText({ server: 'https://127.0.0.1:1', ca: api.ca, token: api.token })
      expect(await get(nobody)).toMatchObject({
        code: 'NETWORK',
        message: expect.stringContaining('no server listens there'),
      })
    })

    test.each([
      ['cut', null, 'the connection was closed (ECONNRESET)'],
      [
        'a server without TLS',
        'HTTP/1.1 200 OK\r\n\r\n',
        'the TLS handshake failed: does that port speak TLS? (EPROTO)',
      ],
    ])('the error for another kind of server (%s) has our own message', async (_, answer, words) => {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => (answer === null ? socket.destroy() : socket.end(answer)))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
      const address = server.address()
      const port = typeof address === 'object' ? address?.port : 0
      const { code, message } = await get(
        kubeconfigText({ server: `https://127.0.0.1:${port}`, ca: api.ca, token: 'x' }),
      )
      expect({ code, message }).toEqual({
        code: 'NETWORK',
        message: `GET https://127.0.0.1:${port}/api/v1/namespaces/demo/pods/web: ${words}`,
      })
    })

    test.each<[string, Misbehaviour, object]>([
      ['silence', { hang: true }, { code: 'TIMEOUT' }],
      [
        'a cut connection',
        { cut: true },
        {
          code: 'NETWORK',
          message: expect.stringMatching(/: the connection was closed \(ECONNRESET\)$/),
        },
      ],
      ['an endless answer', { endless: true }, { code: 'BAD_ANSWER', message: expect.stringContaining('larger than') }],
      ['something that is not JSON', { status: 200, body: '<html>' }, { code: 'BAD_ANSWER' }],
      [
        'an answer that ends early',
        { partial: '{"kind":"Pod"' },
        { code: expect.stringMatching(/^(NETWORK|BAD_ANSWER)$/) },
      ],
      [
        'a message with control characters',
        { status: 400, body: JSON.stringify({ message: `a\n{"level":"error"}\u001b[2J${'x'.repeat(9000)}` }) },
        { code: 'STATUS', message: expect.stringMatching(/^[\x20-\x7e…]{1,700}$/) },
      ],
      ['a redirect', { status: 302, headers: { location: '/elsewhere' } }, { code: 'STATUS', status: 302 }],
      [
        'overload',
        { status: 429, headers: { 'retry-after': '7' } },
        { code: 'STATUS', status: 429, retryAfterMs: 7000 },
      ],
    ])('%s has its own error', async (_, how, expected) => {
      const before = api.requests.length
      api.misbehave(how)
      expect(await get(api.kubeconfig(), {}, 1000)).toMatchObject(expected)
      expect(api.requests).toHaveLength(before + 1)
    })
  },
)
