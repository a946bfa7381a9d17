import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { storedPod } from '../../test/pods.ts'
import { loadKubeconfig } from '../config/kubeconfig.ts'
import { type ApiServer, type ApiServerOptions, startApiServer } from '../testing/api-server.ts'
import { createAuthority } from '../testing/certificate.ts'
import { kubeconfigText } from '../testing/kubeconfig-text.ts'
import { type KubeClientOptions, kubeClient } from './client.ts'
import { namespaceLabels } from './get-namespace.ts'
import { getPod } from './get-pod.ts'

const web = { namespace: 'demo', name: 'web' }
const path = '/api/v1/namespaces/demo/pods/web'
const never = new AbortController().signal
let folder: string
let api: ApiServer

const start = async (options: ApiServerOptions = {}) => {
  api = await startApiServer({ pods: [storedPod(web)], ...options })
}
const connect = async (kubeconfig = api.kubeconfig(), options: KubeClientOptions = {}) => {
  writeFileSync(join(folder, 'kubeconfig'), kubeconfig)
  return kubeClient(await loadKubeconfig(join(folder, 'kubeconfig')), options)
}
const get = async (options?: KubeClientOptions) => (await connect(undefined, options)).get(path, { signal: never })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kube-client-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await api.close()
  await rm(folder, { recursive: true })
})

describe('a request', () => {
  test('has credentials, asks for JSON and has a user agent', async () => {
    await start()
    expect(await get()).toMatchObject({ kind: 'Pod', metadata: { name: 'web' } })
    expect(api.requests).toHaveLength(1)
    expect(api.requests[0]).toMatchObject({
      method: 'GET',
      url: path,
      headers: { accept: 'application/json', authorization: 'Bearer test-token', 'user-agent': 'istio-cni' },
    })
  })

  test('reaches a server on an IPv6 address', async () => {
    await start({ host: '::1' })
    expect(await get()).toMatchObject({ kind: 'Pod' })
  })

  test("ignores the environment's proxies and TLS switch", async () => {
    await start()
    const proxy = await refusingProxy()
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])
      vi.stubEnv(name, proxy.url)
    // Does the same as NODE_USE_ENV_PROXY=1 at the start of a process.
    const https = process.getBuiltinModule('node:https')
    const usual = https.globalAgent
    onTestFinished(() => {
      https.globalAgent = usual
    })
    https.globalAgent = new https.Agent({ proxyEnv: process.env })
    expect(await get()).toMatchObject({ kind: 'Pod' })
    expect(proxy.connections()).toBe(0)
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const stranger = kubeconfigText({ server: api.url, ca: createAuthority('other').cert, token: api.token })
    await expect((await connect(stranger)).get(path, { signal: never })).rejects.toMatchObject({ code: 'UNTRUSTED' })
    proxy.server.close()
  })

  test('does not follow a redirect', async () => {
    await start()
    api.misbehave({ status: 302, headers: { location: `${api.url}/elsewhere` } })
    await expect(get()).rejects.toMatchObject({ code: 'STATUS', status: 302 })
    expect(api.requests.map(({ url }) => url)).toEqual([path])
  })
})

describe('a server is trusted', () => {
  test('only if the kubeconfig has its authority', async () => {
    await start()
    const stranger = kubeconfigText({ server: api.url, ca: createAuthority('other').cert, token: api.token })
    await expect((await connect(stranger)).get(path, { signal: never })).rejects.toMatchObject({
      code: 'UNTRUSTED',
      message: expect.stringMatching(
        `^GET ${api.url}.* is not trusted .*: it presents "CN=[^"]+", issued by "CN=[^"]+"; known is "CN=other"$`,
      ),
    })
    expect(api.requests).toEqual([])
  })

  test('if the kubeconfig has only an intermediate authority, as in Go', async () => {
    const intermediate = createAuthority('root').issueAuthority('cluster')
    const { cert, key } = intermediate.issue('kube-apiserver', ['127.0.0.1'])
    await start({ certificate: { cert: `${cert}${intermediate.cert}`, key } })
    const kubeconfig = kubeconfigText({ server: api.url, ca: intermediate.cert, token: api.token })
    expect(await (await connect(kubeconfig)).get(path, { signal: never })).toMatchObject({ kind: 'Pod' })
  })

  test('only under its own name', async () => {
    const authority = createAuthority('ca')
    await start({ certificate: authority.issue('other', ['other.example']) })
    const kubeconfig = kubeconfigText({ server: api.url, ca: authority.cert, token: api.token })
    await expect((await connect(kubeconfig)).get(path, { signal: never })).rejects.toMatchObject({ code: 'UNTRUSTED' })
  })

  test('only while its certificate is valid', async () => {
    const authority = createAuthority('ca', { notAfter: new Date(Date.now() - 1000) })
    await start({ certificate: authority.issue('old', ['127.0.0.1']) })
    const kubeconfig = kubeconfigText({ server: api.url, ca: authority.cert, token: api.token })
    await expect((await connect(kubeconfig)).get(path, { signal: never })).rejects.toMatchObject({ code: 'UNTRUSTED' })
  })

  test('always, if the kubeconfig disables verification', async () => {
    await start()
    const careless = kubeconfigText({ server: api.url, token: api.token })
    expect(await (await connect(careless)).get(path, { signal: never })).toMatchObject({ kind: 'Pod' })
  })
})

describe('an answer is rejected', () => {
  test.each([
    ['if it does not arrive', { hang: true }, 'TIMEOUT'],
    ['if the connection is cut', { cut: true }, 'NETWORK'],
    ['if it is not JSON', { status: 200, body: '<html>login</html>' }, 'BAD_ANSWER'],
    ['if it does not end', { endless: true }, 'BAD_ANSWER'],
  ] as const)('%s', async (_, how, code) => {
    await start()
    api.misbehave(how)
    await expect(get({ timeoutMs: 1000 })).rejects.toMatchObject({ code })
  })

  test("with the server's message", async () => {
    await start({ pods: [] })
    await expect(get()).rejects.toMatchObject({
      code: 'STATUS',
      status: 404,
      message: expect.stringContaining('pods "web" not found'),
    })
  })

  test("with control characters removed from the server's message", async () => {
    await start()
    api.misbehave({
      status: 400,
      body: JSON.stringify({ message: `a\n{"level":"error"}\u001b[2J${'x'.repeat(9000)}` }),
    })
    const message = await get().then(String, String)
    expect(message).not.toMatch(/\p{C}/u)
    expect(message.length).toBeLessThan(700)
  })

  test('at once after an abort', async () => {
    await start()
    api.misbehave({ hang: true })
    const caller = new AbortController()
    const request = (await connect()).get(path, caller)
    setTimeout(() => caller.abort(new Error('deadline')), 50)
    await expect(request).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

describe('getPod', () => {
  const pauses: number[] = []
  const pod = (signal = never, connectOnce = () => connect()) =>
    getPod(web, { connect: connectOnce, signal, pause: async (ms) => void pauses.push(ms) })
  beforeEach(() => void pauses.splice(0))

  test('makes one request if it succeeds', async () => {
    await start()
    expect((await pod()).metadata).toMatchObject(web)
    expect(api.requests).toHaveLength(1)
  })

  test('reads the kubeconfig again after a rejected token, and retries at once', async () => {
    await start()
    const stale = kubeconfigText({ server: api.url, ca: api.ca, token: 'expired' })
    const kubeconfigs = [stale, api.kubeconfig()]
    expect((await pod(never, () => connect(kubeconfigs.shift()))).metadata).toMatchObject(web)
    expect(api.requests).toHaveLength(2)
    expect(pauses).toEqual([])
  })

  test('stops if the new token is rejected too', async () => {
    await start()
    const stale = kubeconfigText({ server: api.url, ca: api.ca, token: 'expired' })
    await expect(pod(never, () => connect(stale))).rejects.toMatchObject({ status: 401 })
    expect(api.requests).toHaveLength(2)
  })

  test('stops at once without permission', async () => {
    await start()
    api.misbehave({ status: 403 })
    await expect(pod()).rejects.toThrow(/^pod demo\/web could not be read: GET .*: 403/)
    expect(api.requests).toHaveLength(1)
  })

  test('waits for a pod that the server does not know yet', async () => {
    await start({ pods: [] })
    const connectOnce = () => connect()
    const appear = async () => void api.setPod(storedPod(web))
    expect((await getPod(web, { connect: connectOnce, signal: never, pause: appear })).metadata).toMatchObject(web)
    expect(api.requests).toHaveLength(2)
  })

  test('stops if the pod does not appear', async () => {
    await start({ pods: [] })
    await expect(pod()).rejects.toThrow('pods "web" not found (after 4 requests)')
    expect(pauses).toEqual([1000, 1000, 1000])
  })

  test('backs off while the server is overloaded', async () => {
    await start()
    api.misbehave({ status: 503 }, { status: 500 }, { status: 429, headers: { 'retry-after': '7' } }, { cut: true })
    expect((await pod()).metadata).toMatchObject(web)
    expect(pauses).toEqual([1000, 2000, 7000, 1000])
  })

  test('stops after thirty requests to an unreachable server', async () => {
    await start()
    const kubeconfig = api.kubeconfig()
    await api.close()
    await expect(pod(never, () => connect(kubeconfig))).rejects.toThrow('(after 30 requests)')
    expect(pauses).toHaveLength(29)
  })

  test('reports the last error after a timeout', async () => {
    await start()
    api.misbehave({ status: 503 }, { hang: true })
    await expect(pod(AbortSignal.timeout(300))).rejects.toMatchObject({ status: 503 })
  })

  test.each([
    ['another pod', storedPod({ ...web, name: 'other' }), 'answered with pod "demo/other"'],
    ['another kind of object', { kind: 'Node' }, 'metadata has the wrong type'],
    [
      'a pod with invalid containers',
      { ...storedPod(web), spec: { containers: [{ name: 5 }] } },
      'spec.containers.0.name',
    ],
  ])('rejects %s', async (_, body, reason) => {
    await start()
    api.misbehave(...Array.from({ length: 4 }, () => ({ status: 200, body: JSON.stringify(body) })))
    await expect(pod()).rejects.toMatchObject({ code: 'BAD_ANSWER', message: expect.stringContaining(reason) })
  })
})

describe('the labels of a namespace', () => {
  const labels = (maxRequests?: number) =>
    namespaceLabels('demo', {
      connect: () => connect(),
      signal: never,
      pause: async () => {},
      ...(maxRequests !== undefined && { maxRequests }),
    })

  test('are returned', async () => {
    await start({ namespaces: { demo: { mode: 'ambient' } } })
    expect(await labels()).toEqual({ mode: 'ambient' })
    expect(api.requests.map(({ url }) => url)).toEqual(['/api/v1/namespaces/demo'])
  })

  test('may be missing', async () => {
    await start()
    for (const none of ['', ',"labels":null']) {
      api.misbehave({ status: 200, body: `{"metadata":{"name":"demo"${none}}}` })
      expect(await labels()).toEqual({})
    }
  })

  test.each([
    ['another namespace', { metadata: { name: 'other' } }, 'it has another name'],
    ['invalid labels', { metadata: { name: 'demo', labels: { a: 1 } } }, 'metadata.labels.a has the wrong type'],
  ])('are rejected for %s', async (_, body, reason) => {
    await start()
    api.misbehave({ status: 200, body: JSON.stringify(body) })
    await expect(labels(1)).rejects.toMatchObject({ code: 'BAD_ANSWER', message: expect.stringContaining(reason) })
  })

  test('are requested at most maxRequests times', async () => {
    await start()
    api.misbehave({ status: 503 }, { cut: true }, { status: 503 })
    await expect(labels(2)).rejects.toThrow(/^namespace demo could not be read: .*\(after 2 requests\)$/)
    expect(api.requests).toHaveLength(2)
  })
})

async function refusingProxy(): Promise<{ server: Server; url: string; connections(): number }> {
  let count = 0
  const server = createServer((socket) => {
    count += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    server,
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    connections: () => count,
  }
}
