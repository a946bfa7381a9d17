import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, type Grant, startApiServer } from '@cni/kube/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ApiAccess } from '../part/services.ts'
import { DAEMON_SET, daemonSet } from './daemon-set.ts'

const NAMESPACE = 'istio-system'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daemon-set-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

let server: ApiServer
beforeEach(async () => {
  server = await withGrants(['get daemonsets', 'get nodes'])
})
afterEach(() => server.close())

const withGrants = (grants: readonly Grant[]): Promise<ApiServer> => startApiServer({ grants })

function access(api: ApiServer, namespace = NAMESPACE): ApiAccess {
  const [tokenFile, caFile] = [join(folder, 'token'), join(folder, 'ca.crt')]
  writeFileSync(tokenFile, api.token)
  writeFileSync(caFile, api.ca)
  return { server: api.url, tokenFile, caFile, namespace }
}

function look(api = server, more: { timeoutMs?: number; pauseMs?: number; namespace?: string } = {}) {
  const set = daemonSet(access(api, more.namespace), { nodeName: 'node-1', pauseMs: 1, ...more })
  return set.stillWanted({ signal: new AbortController().signal })
}

type DaemonSetDocument = NonNullable<Parameters<ApiServer['setDaemonSet']>[2]>

const required = (...nodeSelectorTerms: object[]): DaemonSetDocument => ({
  podSpec: {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  },
})
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
})

describe('an agent is wanted on a node', () => {
  test.each<[string, DaemonSetDocument | undefined, boolean]>([
    ['that every DaemonSet chooses', {}, true],
    ['of Linux', { podSpec: { nodeSelector: { 'kubernetes.io/os': 'linux' } } }, true],
    ['whose DaemonSet is gone', undefined, false],
    ['whose DaemonSet is being deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }, false],
    ['with the label of the selector', { podSpec: { nodeSelector: { pool: 'mesh' } } }, true],
    ['without the label of the selector', { podSpec: { nodeSelector: { pool: 'other' } } }, false],
    ['with one of the labels', required(expression('pool', 'In', 'x', 'mesh')), true],
    ['with none of them', required(expression('pool', 'In', 'x')), false],
    [
      'that one of two terms chooses',
      required(expression('pool', 'NotIn', 'mesh'), expression('pool', 'Exists')),
      true,
    ],
    ['with a label that must not be', required(expression('pool', 'DoesNotExist')), false],
    ['with a number above', required(expression('cores', 'Gt', '3')), true],
    ['with a number not below', required(expression('cores', 'Lt', '4')), false],
    ['without the number', required(expression('none', 'Gt', '3')), false],
    ['by its name', required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }), true],
    [
      'by another name',
      required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-2'] }] }),
      false,
    ],
    ['that an empty term does not choose', required({}), false],
  ])('%s: %#', async (_what, document, wanted) => {
    server.setDaemonSet(NAMESPACE, DAEMON_SET, document)
    server.setNode('node-1', { pool: 'mesh', cores: '4' })
    expect(await look()).toEqual({ wanted, why: expect.stringContaining('istio-cni-node in namespace istio-system') })
  })
})

test('nodes are asked for only where the DaemonSet chooses by labels', async () => {
  await using api = await withGrants(['get daemonsets'])
  api.setDaemonSet(NAMESPACE, DAEMON_SET, { podSpec: { nodeSelector: { 'kubernetes.io/os': 'linux' } } })
  expect(await look(api)).toMatchObject({ wanted: true })
  api.setDaemonSet(NAMESPACE, DAEMON_SET, { podSpec: { nodeSelector: { pool: 'mesh' } } })
  expect(await look(api)).toMatchObject({
    wanted: undefined,
    why: expect.stringContaining('cannot get resource "nodes"'),
    refused: { status: 403 },
  })
})

describe('nobody can tell', () => {
  test('without the right, which is named and asked for once', async () => {
    await using api = await withGrants([])
    const { wanted, why } = await look(api)
    expect(wanted).toBeUndefined()
    expect(why).toContain('cannot get resource "daemonsets" in API group "apps" in the namespace "istio-system"')
    expect(api.requests).toHaveLength(1)
  })

  test('without a namespace of its own', async () => {
    expect(await look(server, { namespace: '' })).toEqual({ wanted: undefined, why: 'POD_NAMESPACE is not set' })
    expect(server.requests).toHaveLength(0)
  })

  test.each([
    ['an answer that is no DaemonSet', { body: '{"kind":"DaemonSet"}' }, 'metadata is not what Kubernetes answers', 1],
    ['a 404 of something in between', { status: 404, body: '<html>' }, '404', 1],
    ['a broken server', { status: 503 }, '503', 3],
    ['a server that cuts the connection', { cut: true }, 'GET', 3],
  ])('%s', async (_what, how, words, requests) => {
    server.misbehave(how, how, how)
    expect(await look()).toEqual({ wanted: undefined, why: expect.stringContaining(words) })
    expect(server.requests).toHaveLength(requests)
  })

  test('a server that accepts and never answers is left in time', async () => {
    server.misbehave({ hang: true })
    const began = performance.now()
    expect(await look(server, { timeoutMs: 300 })).toEqual({ wanted: undefined, why: 'no answer within 0.3 s' })
    expect(performance.now() - began).toBeLessThan(3000)
  })
})

test('a server that was away for a moment is asked again', async () => {
  server.setDaemonSet(NAMESPACE, DAEMON_SET, {})
  server.misbehave({ cut: true }, { status: 503 })
  expect(await look()).toMatchObject({ wanted: true })
})

test('an agent whose service account is deleted is not wanted', async () => {
  server.misbehave({ status: 401 })
  expect(await look()).toEqual({ wanted: false, why: 'the service account of the agent is no longer valid' })
})
