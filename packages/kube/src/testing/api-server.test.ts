import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedPod } from '../../test/pods.ts'
import { type ApiServer, startApiServer } from './api-server.ts'

const GRANTS = ['list pods', 'watch pods', 'list namespaces', 'watch namespaces', 'patch pods/status'] as const

let api: ApiServer
beforeAll(async () => {
  api = await startApiServer({ pods: [storedPod()], namespaces: { mesh: { 'istio-injection': 'enabled' } } })
})
afterAll(() => api.close())

const ask = (path: string, { token = api.token, method = 'GET' }: { token?: string | null; method?: string } = {}) =>
  new Promise<{ status: number | undefined; document: unknown }>((resolve, reject) => {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    const outgoing = request(`${api.url}${path}`, { method, ca: api.ca, headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode, document: JSON.parse(body) }))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })

describe('the API server answers like a real one', () => {
  const web = '/api/v1/namespaces/demo/pods/web'
  test.each([
    ['a pod', web, {}, 200, { kind: 'Pod', metadata: { name: 'web', namespace: 'demo' } }],
    [
      'the namespace of a pod',
      '/api/v1/namespaces/demo',
      {},
      200,
      { kind: 'Namespace', metadata: { name: 'demo', labels: {} } },
    ],
    [
      'a namespace with labels',
      '/api/v1/namespaces/mesh',
      {},
      200,
      { metadata: { labels: { 'istio-injection': 'enabled' } } },
    ],
    [
      'a missing pod',
      '/api/v1/namespaces/demo/pods/none',
      {},
      404,
      { kind: 'Status', reason: 'NotFound', message: 'pods "none" not found', code: 404 },
    ],
    ['a missing namespace', '/api/v1/namespaces/none', {}, 404, { message: 'namespaces "none" not found' }],
    ['an unknown path', '/api/v1/nodes', {}, 404, { reason: 'NotFound' }],
    ['a wrong token', web, { token: 'wrong' }, 401, { reason: 'Unauthorized', message: 'Unauthorized', code: 401 }],
    [
      'no token',
      web,
      { token: null },
      403,
      {
        reason: 'Forbidden',
        message:
          'pods "web" is forbidden: User "system:anonymous" cannot get resource "pods" in API group "" in the namespace "demo"',
      },
    ],
    [
      'a change',
      web,
      { method: 'DELETE' },
      403,
      { reason: 'Forbidden', message: expect.stringContaining('cannot delete resource') },
    ],
  ])('to a request for %s', async (_, path, how, status, document) => {
    expect(await ask(path, how)).toMatchObject({ status, document })
  })

  test('to lists, watches and changes of pods if they are granted', async () => {
    await using server = await startApiServer({
      pods: [storedPod(), storedPod({ name: 'other', labels: { app: 'x' } })],
      grants: ['list pods', 'delete pods'],
    })
    const at = (path: string, method = 'GET', body = '') =>
      new Promise<{ status: number | undefined; document: unknown }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${server.token}`, 'content-length': body.length }
        const outgoing = request(
          `${server.url}${path}`,
          { method, ca: server.ca, headers, agent: false },
          (response) => {
            json(response).then((document) => resolve({ status: response.statusCode, document }), reject)
          },
        )
        outgoing.on('error', reject)
        outgoing.end(body)
      })
    expect(await at('/api/v1/pods?labelSelector=app%3Dx')).toMatchObject({
      status: 200,
      document: { kind: 'PodList', metadata: { resourceVersion: '102' }, items: [{ metadata: { name: 'other' } }] },
    })
    expect(await at('/api/v1/pods?watch=true')).toMatchObject({
      status: 403,
      document: {
        message: expect.stringContaining('cannot watch resource "pods" in API group "" at the cluster scope'),
      },
    })
    expect(await at(`${web}/status`, 'PATCH', '{}')).toMatchObject({ status: 403 })
    const stale = JSON.stringify({ preconditions: { resourceVersion: '1' } })
    expect(await at(web, 'DELETE', stale)).toMatchObject({ status: 409, document: { reason: 'Conflict' } })
    expect(await at(web, 'DELETE')).toMatchObject({ status: 200 })
    expect(await at(web)).toMatchObject({ status: 404 })
  })

  test('to lists and watches of namespaces, from a version or from the beginning', async () => {
    await using server = await startApiServer({
      pods: [storedPod()],
      namespaces: { mesh: { a: 'b' } },
      grants: GRANTS,
    })
    const heard = async (path: string, until: number): Promise<unknown[]> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${server.token}` }
        const outgoing = request(`${server.url}${path}`, { ca: server.ca, headers, agent: false }, (response) => {
          let text = ''
          response.on('data', (piece) => {
            text += piece
            const lines = text.split('\n').slice(0, -1)
            if (lines.length < until) return
            outgoing.destroy()
            resolve(lines.map((line) => JSON.parse(line)))
          })
        })
        outgoing.on('error', reject)
        outgoing.end()
      })
    const named = (name: string) => expect.objectContaining({ metadata: expect.objectContaining({ name }) })
    expect(await heard('/api/v1/namespaces', 1)).toMatchObject([
      { kind: 'NamespaceList', metadata: { resourceVersion: '102' }, items: [named('mesh'), named('demo')] },
    ])
    server.setNamespace('demo', { 'istio.io/dataplane-mode': 'ambient' })
    server.deleteNamespace('mesh')
    expect(await heard('/api/v1/namespaces?watch=true&resourceVersion=102', 2)).toMatchObject([
      { type: 'MODIFIED', object: { metadata: { name: 'demo', labels: { 'istio.io/dataplane-mode': 'ambient' } } } },
      { type: 'DELETED', object: named('mesh') },
    ])
    expect(await heard('/api/v1/namespaces?watch=true&sendInitialEvents=true', 2)).toMatchObject([
      { type: 'ADDED', object: named('demo') },
      { type: 'BOOKMARK', object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } } },
    ])
  })

  test('except for requests for which misbehave was called', async () => {
    api.misbehave({ status: 503 }, { status: 200, body: '"anything"' })
    expect(await ask(web)).toMatchObject({ status: 503, document: { reason: 'ServiceUnavailable' } })
    expect(await ask(web)).toEqual({ status: 200, document: 'anything' })
    expect(await ask(web)).toMatchObject({ status: 200, document: { kind: 'Pod' } })
    api.misbehave({ method: 'PATCH', status: 500 }, { status: 503 })
    expect(await ask(web)).toMatchObject({ status: 503 })
    expect(await ask(web)).toMatchObject({ status: 200 })
    expect(await ask(web, { method: 'PATCH' })).toMatchObject({ status: 500 })
  })

  test('and writes a kubeconfig to the path that the plugin uses', async () => {
    const runDir = await mkdtemp(join(tmpdir(), 'api-server-'))
    const path = api.writeKubeconfig(runDir)
    expect(path).toBe(join(runDir, 'istio-cni-kubeconfig'))
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8').replace(/(?<=data: ).*/, 'CA')).toBe(`apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: CA
    server: ${api.url}
  name: local
contexts:
- context:
    cluster: local
    user: plugin
  name: plugin-context
current-context: plugin-context
kind: Config
users:
- name: plugin
  user:
    token: test-token
`)
    await rm(runDir, { recursive: true })
  })
})
