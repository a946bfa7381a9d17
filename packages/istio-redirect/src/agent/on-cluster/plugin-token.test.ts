import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { kubeClient } from '../../../../kube/src/client/client.ts'
import { serviceAccountAccess } from '../../../../kube/src/config/service-account.ts'
import { meshPod } from '../../testing/index.ts'
import { metricsRegistry } from '../serve/metrics.ts'
import type { ApiAccess } from '../shared/deps.ts'
import { removePluginToken, renewPluginToken } from './plugin-token.ts'

let folder: string
let server: ApiServer
let stop: AbortController
let ends: Promise<void>[]
const lines: string[] = []
const note = (msg: string) => void lines.push(msg)
const log = { debug: note, info: note, warn: note, error: note }

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plugin-token-'))
  server = await startApiServer({ grants: ['create serviceaccounts/token'], pods: [meshPod()] })
  server.setServiceAccount('istio-system', 'istio-cni-plugin')
  stop = new AbortController()
  ends = []
  lines.length = 0
})
afterEach(async () => {
  stop.abort()
  await Promise.all(ends)
  await server.close()
  rmSync(folder, { recursive: true })
})

const file = (): string => join(folder, 'run/istio-cni-token')

function access(tokenFile = join(folder, 'agent-token')): ApiAccess {
  const caFile = join(folder, 'ca.crt')
  if (tokenFile.endsWith('agent-token')) writeFileSync(tokenFile, server.token)
  writeFileSync(caFile, server.ca)
  return { server: server.url, tokenFile, caFile, namespace: 'istio-system' }
}

function keep({ account = 'istio-cni-plugin', failed = () => {} } = {}) {
  const kept = renewPluginToken({
    config: { account, file: file() },
    api: access(),
    log,
    expiry: metricsRegistry().gauge('expiry', 'x'),
    failed,
    signal: stop.signal,
    pauseMs: 5,
  })
  ends.push(kept.done)
  return kept
}

test('temporary files of killed agents are removed at the start and with the token, and other files stay', async () => {
  const run = join(folder, 'run')
  const unfinished = join(run, '.istio-cni-token.4vu18svo0.tmp')
  const others = ['.istio-cni-kubeconfig.istio-cni-1.tmp', '.istio-cni-token.A.tmp', 'istio-cni-token.1.tmp']
  mkdirSync(run)
  for (const path of [unfinished, ...others.map((name) => join(run, name))]) writeFileSync(path, 'se.cr.et')
  await keep().first
  expect(readdirSync(run).sort()).toEqual([...others, 'istio-cni-token'].sort())
  writeFileSync(unfinished, 'se.cr.et')
  expect(removePluginToken({ account: 'istio-cni-plugin', file: file() })).toBe(file())
  expect(readdirSync(run).sort()).toEqual(others.sort())
})

test('the token belongs to the plugin’s account, lasts an hour, is not bound to a pod, and only root can read it', async () => {
  const kept = keep()
  await kept.first
  expect(kept.problem()).toBeUndefined()
  expect(statSync(file()).mode & 0o7777).toBe(0o600)
  const [asked] = server.requests
  expect(asked).toMatchObject({
    method: 'POST',
    url: '/api/v1/namespaces/istio-system/serviceaccounts/istio-cni-plugin/token',
  })
  expect(JSON.parse(asked?.body ?? '')).toEqual({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  })
})

test('the token permits reading single pods only', async () => {
  await keep().first
  const client = kubeClient(serviceAccountAccess(access(file())))
  const { signal } = stop
  await expect(client.get('/api/v1/namespaces/demo/pods/web', { signal })).resolves.toMatchObject({ kind: 'Pod' })
  await expect(client.get('/api/v1/pods', { signal })).rejects.toThrow(
    'User "system:serviceaccount:istio-system:istio-cni-plugin" cannot list resource "pods"',
  )
  const path = '/api/v1/namespaces/istio-system/serviceaccounts/istio-cni-plugin/token'
  await expect(client.send({ method: 'POST', path }, { signal })).rejects.toThrow('cannot create')
})

test('the token is renewed before half of its life is over', async () => {
  server.setServiceAccount('istio-system', 'istio-cni-plugin', 2)
  const began = performance.now()
  await keep().first
  const before = readFileSync(file(), 'utf8')
  await expect.poll(() => readFileSync(file(), 'utf8'), { timeout: 10_000 }).not.toBe(before)
  // Due after 40 to 50 % of two seconds.
  expect(performance.now() - began).toBeGreaterThan(700)
})

test('a new agent keeps the former token until it has replaced it', async () => {
  const first = keep()
  await first.first
  const before = readFileSync(file(), 'utf8')
  stop.abort()
  await first.done
  expect(readFileSync(file(), 'utf8')).toBe(before)
  stop = new AbortController()
  await keep().first
  expect(readFileSync(file(), 'utf8')).not.toBe(before)
  expect(server.requests).toHaveLength(2)
})

describe('without a new token, the agent reports the reason, keeps the former token and retries if', () => {
  test.each<[string, () => { account?: string }, RegExp]>([
    [
      'the account does not exist',
      () => ({ account: 'other' }),
      /serviceaccounts "other" not found; create the service account$/,
    ],
    [
      'the server is overloaded',
      () => {
        server.misbehave(...Array.from({ length: 100 }, () => ({ status: 503 })))
        return {}
      },
      /unable to handle the request$/,
    ],
    [
      'the answer is invalid',
      () => {
        server.misbehave(...Array.from({ length: 100 }, () => ({ status: 201, body: '{"status":{"token":"a b"}}' })))
        return {}
      },
      /the answer is not that of a TokenRequest$/,
    ],
  ])('%s', async (_what, given, words) => {
    let failures = 0
    mkdirSync(join(folder, 'run'))
    writeFileSync(file(), 'former')
    const kept = keep({ ...given(), failed: () => void failures++ })
    await kept.first
    expect(kept.problem()).toMatch(words)
    expect(lines).toEqual([kept.problem()])
    expect(readFileSync(file(), 'utf8')).toBe('former')
    await expect.poll(() => failures).toBeGreaterThan(2)
    server.behave()
  })

  test('a permission is missing, which the problem names', async () => {
    await server.close()
    server = await startApiServer({ grants: [] })
    server.setServiceAccount('istio-system', 'istio-cni-plugin')
    const kept = keep()
    await kept.first
    expect(kept.problem()).toMatch(
      /cannot create resource "serviceaccounts\/token" in API group "" in the namespace "istio-system"; the agent needs "create" on serviceaccounts\/token of that name$/,
    )
  })

  test('the server fails for a short time', async () => {
    server.misbehave({ cut: true }, { status: 500 })
    const kept = keep()
    await expect.poll(() => existsSync(file())).toBe(true)
    expect(kept.problem()).toBeUndefined()
    expect(lines.at(-1)).toContain('are renewed again')
  })
})

test('the token is removed with the plugin, and a missing token is not an error', () => {
  mkdirSync(join(folder, 'run'))
  writeFileSync(file(), 'x')
  expect(removePluginToken({ account: 'x', file: file() })).toBe(file())
  expect(removePluginToken({ account: 'x', file: file() })).toBeUndefined()
})
