import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, type Grant, startApiServer } from '@cni/kube/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ApiAccess } from '../shared/deps.ts'
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

function read(api = server, more: { timeoutMs?: number; pauseMs?: number; namespace?: string } = {}) {
  const set = daemonSet(access(api, more.namespace), { nodeName: 'node-1', pauseMs: 1, ...more })
  return set.checkNeeded({ signal: new AbortController().signal })
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

describe('an agent is wanted or not on a node', () => {
  test.each<[string, DaemonSetDocument | undefined, boolean]>([
    ['wanted: a DaemonSet without a selector', {}, true],
    ['wanted: a DaemonSet for Linux', { podSpec: { nodeSelector: { 'kubernetes.io/os': 'linux' } } }, true],
    ['not wanted: no DaemonSet', undefined, false],
    ['not wanted: a DaemonSet in deletion', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }, false],
    ['wanted: the label of the selector', { podSpec: { nodeSelector: { pool: 'mesh' } } }, true],
    ['not wanted: another label than the selector', { podSpec: { nodeSelector: { pool: 'other' } } }, false],
    ['wanted: one of the values of the affinity', required(expression('pool', 'In', 'x', 'mesh')), true],
    ['not wanted: none of the values of the affinity', required(expression('pool', 'In', 'x')), false],
    [
      'wanted: one of two terms matches',
      required(expression('pool', 'NotIn', 'mesh'), expression('pool', 'Exists')),
      true,
    ],
    ['not wanted: a label that must not exist', required(expression('pool', 'DoesNotExist')), false],
    ['wanted: a number above the bound', required(expression('cores', 'Gt', '3')), true],
    ['not wanted: a number not below the bound', required(expression('cores', 'Lt', '4')), false],
    ['not wanted: no number in the label', required(expression('none', 'Gt', '3')), false],
    [
      'wanted: the name of the node',
      required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }),
      true,
    ],
    [
      'not wanted: another name of the node',
      required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-2'] }] }),
      false,
    ],
    ['not wanted: an empty term matches no node', required({}), false],
  ])('%s: %#', async (_what, document, needed) => {
    server.setDaemonSet(NAMESPACE, DAEMON_SET, document)
    server.setNode('node-1', { pool: 'mesh', cores: '4' })
    expect(await read()).toEqual({ needed, why: expect.stringContaining('istio-cni-node in namespace istio-system') })
  })
})

test('the node is requested only if the DaemonSet selects by labels', async () => {
  await using api = await withGrants(['get daemonsets'])
  api.setDaemonSet(NAMESPACE, DAEMON_SET, { podSpec: { nodeSelector: { 'kubernetes.io/os': 'linux' } } })
  expect(await read(api)).toMatchObject({ needed: true })
  api.setDaemonSet(NAMESPACE, DAEMON_SET, { podSpec: { nodeSelector: { pool: 'mesh' } } })
  expect(await read(api)).toMatchObject({
    needed: undefined,
    why: expect.stringContaining('cannot get resource "nodes"'),
    refused: { status: 403 },
  })
})

describe('the result is unknown with', () => {
  test('a missing permission, which is named and requested once', async () => {
    await using api = await withGrants([])
    const { needed, why } = await read(api)
    expect(needed).toBeUndefined()
    expect(why).toContain('cannot get resource "daemonsets" in API group "apps" in the namespace "istio-system"')
    expect(api.requests).toHaveLength(1)
  })

  test('an empty POD_NAMESPACE', async () => {
    expect(await read(server, { namespace: '' })).toEqual({ needed: undefined, why: 'POD_NAMESPACE is not set' })
    expect(server.requests).toHaveLength(0)
  })

  test.each([
    [
      'an answer that is not a DaemonSet',
      { body: '{"kind":"DaemonSet"}' },
      'metadata is not what Kubernetes answers',
      1,
    ],
    ['a 404 from a proxy', { status: 404, body: '<html>' }, '404', 1],
    ['a broken server', { status: 503 }, '503', 3],
    ['a server that cuts the connection', { cut: true }, 'GET', 3],
  ])('%s', async (_what, how, words, requests) => {
    server.misbehave(how, how, how)
    expect(await read()).toEqual({ needed: undefined, why: expect.stringContaining(words) })
    expect(server.requests).toHaveLength(requests)
  })

  test('a server that accepts connections and never answers, before the deadline', async () => {
    server.misbehave({ hang: true })
    const began = performance.now()
    expect(await read(server, { timeoutMs: 300 })).toEqual({ needed: undefined, why: 'no answer within 0.3 s' })
    expect(performance.now() - began).toBeLessThan(3000)
  })
})

test('a request is retried after short failures of the server', async () => {
  server.setDaemonSet(NAMESPACE, DAEMON_SET, {})
  server.misbehave({ cut: true }, { status: 503 })
  expect(await read()).toMatchObject({ needed: true })
})

test('an agent whose service account is deleted is not wanted', async () => {
  server.misbehave({ status: 401 })
  expect(await read()).toEqual({ needed: false, why: 'the service account of the agent is no longer valid' })
})
