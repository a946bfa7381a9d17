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
  test('is authenticated, asks for JSON and says who asks', async () => {
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

  test('ignores the proxies and the TLS switch of the environment', async () => {
    await start()
    const proxy = await refusingProxy()
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])
      vi.stubEnv(name, proxy.url)
    // What NODE_USE_ENV_PROXY=1 does when a process starts.
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
  test('only when the kubeconfig names its authority', async () => {
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

  test('by an intermediate authority alone, as Go trusts it', async () => {
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

  test('only as long as its certificate is valid', async () => {
    const authority = createAuthority('ca', { notAfter: new Date(Date.now() - 1000) })
    await start({ certificate: authority.issue('old', ['127.0.0.1']) })
    const kubeconfig = kubeconfigText({ server: api.url, ca: authority.cert, token: api.token })
    await expect((await connect(kubeconfig)).get(path, { signal: never })).rejects.toMatchObject({ code: 'UNTRUSTED' })
  })

  test('in any case when the kubeconfig says so', async () => {
    await start()
    const careless = kubeconfigText({ server: api.url, token: api.token })
    expect(await (await connect(careless)).get(path, { signal: never })).toMatchObject({ kind: 'Pod' })
  })
})

describe('an answer is refused', () => {
  test.each([
    ['when nothing comes', { hang: true }, 'TIMEOUT'],
    ['when the connection is cut', { cut: true }, 'NETWORK'],
    ['when it is not JSON', { status: 200, body: '<html>login</html>' }, 'BAD_ANSWER'],
    ['when it does not end', { endless: true }, 'BAD_ANSWER'],
  ] as const)('%s', async (_, how, code) => {
    await start()
    api.misbehave(how)
    await expect(get({ timeoutMs: 1000 })).rejects.toMatchObject({ code })
  })

  test('with the words of the server', async () => {
    await start({ pods: [] })
    await expect(get()).rejects.toMatchObject({
      code: 'STATUS',
      status: 404,
      message: expect.stringContaining('pods "web" not found'),
    })
  })

  test('without letting the server write into the log', async () => {
    await start()
    api.misbehave({
      status: 400,
      body: JSON.stringify({ message: `a\n{"level":"error"}\u001b[2J${'x'.repeat(9000)}` }),
    })
    const message = await get().then(String, String)
    expect(message).not.toMatch(/\p{C}/u)
    expect(message.length).toBeLessThan(700)
  })

  test('at once when the caller gives up', async () => {
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

  test('costs one request when all is well', async () => {
    await start()
    expect((await pod()).metadata).toMatchObject(web)
    expect(api.requests).toHaveLength(1)
  })

  test('reads the kubeconfig again when the token was refused, and asks at once', async () => {
    await start()
    const stale = kubeconfigText({ server: api.url, ca: api.ca, token: 'expired' })
    const kubeconfigs = [stale, api.kubeconfig()]
    expect((await pod(never, () => connect(kubeconfigs.shift()))).metadata).toMatchObject(web)
    expect(api.requests).toHaveLength(2)
    expect(pauses).toEqual([])
  })

  test('gives up when the fresh token is refused too', async () => {
    await start()
    const stale = kubeconfigText({ server: api.url, ca: api.ca, token: 'expired' })
    await expect(pod(never, () => connect(stale))).rejects.toMatchObject({ status: 401 })
    expect(api.requests).toHaveLength(2)
  })

  test('gives up at once without permission', async () => {
    await start()
    api.misbehave({ status: 403 })
    await expect(pod()).rejects.toThrow(/^pod demo\/web could not be read: GET .*: 403/)
    expect(api.requests).toHaveLength(1)
  })

  test('waits a little for a pod that the server does not know yet', async () => {
    await start({ pods: [] })
    const connectOnce = () => connect()
    const appear = async () => void api.setPod(storedPod(web))
    expect((await getPod(web, { connect: connectOnce, signal: never, pause: appear })).metadata).toMatchObject(web)
    expect(api.requests).toHaveLength(2)
  })

  test('gives up on a pod that does not appear', async () => {
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

  test('gives up on a server that is not there after thirty requests', async () => {
    await start()
    const kubeconfig = api.kubeconfig()
    await api.close()
    await expect(pod(never, () => connect(kubeconfig))).rejects.toThrow('(after 30 requests)')
    expect(pauses).toHaveLength(29)
  })

  test('says what went wrong, not only that time is up', async () => {
    await start()
    api.misbehave({ status: 503 }, { hang: true })
    await expect(pod(AbortSignal.timeout(300))).rejects.toMatchObject({ status: 503 })
  })

  test.each([
    ['another pod', storedPod({ ...web, name: 'other' }), 'answered with pod "demo/other"'],
    ['no pod', { kind: 'Node' }, 'metadata has the wrong type'],
    [
      'a pod with containers that are none',
      { ...storedPod(web), spec: { containers: [{ name: 5 }] } },
      'spec.containers.0.name',
    ],
  ])('refuses %s', async (_, body, reason) => {
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

  test('are read', async () => {
    await start({ namespaces: { demo: { mode: 'ambient' } } })
    expect(await labels()).toEqual({ mode: 'ambient' })
    expect(api.requests.map(({ url }) => url)).toEqual(['/api/v1/namespaces/demo'])
  })

  test('may be none', async () => {
    await start()
    for (const none of ['', ',"labels":null']) {
      api.misbehave({ status: 200, body: `{"metadata":{"name":"demo"${none}}}` })
      expect(await labels()).toEqual({})
    }
  })

  test.each([
    ['another namespace', { metadata: { name: 'other' } }, 'it has another name'],
    ['labels that are none', { metadata: { name: 'demo', labels: { a: 1 } } }, 'metadata.labels.a has the wrong type'],
  ])('are refused from %s', async (_, body, reason) => {
    await start()
    api.misbehave({ status: 200, body: JSON.stringify(body) })
    await expect(labels(1)).rejects.toMatchObject({ code: 'BAD_ANSWER', message: expect.stringContaining(reason) })
  })

  test('are not asked for more often than allowed', async () => {
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
