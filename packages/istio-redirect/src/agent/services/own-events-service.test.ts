import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeError } from '@cni/kube'
import { type ApiServer, type Grant, startApiServer } from '@cni/kube/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentConfig } from '../config/agent-config.ts'
import { resolveValues } from '../config/resolve.ts'
import type { Readiness } from '../serve/health.ts'
import { serverReach } from '../shared/server-reach.ts'
import { ownEventsService } from './own-events-service.ts'

let folder: string
let api: ApiServer
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'own-events-'))
  await serve(['create events', 'patch events'])
})
afterEach(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

async function serve(grants: readonly Grant[]): Promise<void> {
  api = await startApiServer({ grants })
  writeFileSync(join(folder, 'token'), api.token)
  writeFileSync(join(folder, 'ca.crt'), api.ca)
}

function config(env: Record<string, string> = {}) {
  const { hostname, port } = new URL(api.url)
  const server = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_DIR: folder }
  const pod = { POD_NAMESPACE: 'istio-system', POD_NAME: 'istio-cni-node-x7', POD_UID: 'u-1' }
  return agentConfig(resolveValues({}, [{ ...server, ...pod, ...env }]))
}

const reach = serverReach()
const lines: string[] = []
const note = (msg: string) => void lines.push(msg)
const log = { debug: note, info: note, warn: note, error: note }

test('a lasting problem is one event, and a new problem is a new event', async () => {
  let now: Readiness = { ready: false, reasons: ['binary: read-only file system', 'log socket: none'] }
  const service = ownEventsService({ log, readiness: () => now, reach, failed: () => {}, checkMs: 5 })
  await service.update(config())
  const messages = () => api.events().map((one) => ('message' in one ? one.message : ''))
  await expect.poll(messages).toEqual(['binary: read-only file system; log socket: none'])
  now = { ready: false, reasons: ['binary: no space left on device'] }
  await expect
    .poll(messages)
    .toEqual(['binary: read-only file system; log socket: none', 'binary: no space left on device'])
  now = { ready: true, reasons: [] }
  await service.close('removed')
  expect(api.events()).toMatchObject([
    { reason: 'NotReady', involvedObject: { kind: 'Pod', name: 'istio-cni-node-x7', uid: 'u-1' } },
    { reason: 'NotReady' },
  ])
})

test('without the permission to create events, the problem is logged once and counted', async () => {
  await api.close()
  await serve([])
  let failures = 0
  lines.length = 0
  const readiness = () => ({ ready: false, reasons: ['x'] })
  const service = ownEventsService({ log, readiness, reach, failed: () => void failures++, checkMs: 1 })
  await service.update(config())
  await expect.poll(() => failures).toBeGreaterThan(1)
  await service.close('removed')
  expect(lines).toEqual([expect.stringContaining('cannot create resource "events"')])
})

test('an outage of the API server is an event when it is over, with its times and its reason', async () => {
  let now = Date.parse('2026-11-23T22:00:00.000Z')
  const reach = serverReach({ now: () => now })
  const readiness = () => ({ ready: true, reasons: [] })
  const service = ownEventsService({ log, readiness, reach, failed: () => {} })
  await service.update(config())
  reach
    .of('pods')
    .failed(new KubeError('NETWORK', 'GET https://10.96.0.1/api/v1/pods: connection refused (ECONNREFUSED)'))
  now += 42_000
  reach.of('pods').failed(new KubeError('TIMEOUT', 'GET https://10.96.0.1/api/v1/pods: no answer within 60 s'))
  expect(api.events()).toEqual([])
  now += 5000
  reach.of('pods').answered()
  await expect
    .poll(() => api.events())
    .toMatchObject([
      {
        reason: 'ServerWasAway',
        message: expect.stringMatching(
          /^the API server did not answer from 2026-11-23T22:00:00Z to 2026-11-23T22:00:42Z: .* no answer within 60 s; /,
        ),
        involvedObject: { kind: 'Pod', name: 'istio-cni-node-x7' },
      },
    ])
  await service.close('removed')
})

test("a refusal of the API server is an event at once, with the server's message", async () => {
  const reach = serverReach()
  const readiness = () => ({ ready: true, reasons: [] })
  const service = ownEventsService({ log, readiness, reach, failed: () => {} })
  await service.update(config())
  const said = 'GET https://10.96.0.1/api/v1/pods: 403: cannot list resource "pods"'
  for (let times = 0; times < 2; times++) reach.of('pods').failed(new KubeError('STATUS', said, { status: 403 }))
  await expect
    .poll(() => api.events())
    .toMatchObject([{ reason: 'Refused', message: `the API server refuses the agent: ${said}` }])
  await service.close('removed')
  expect(api.events()).toHaveLength(1)
})

test('outside of a pod no events are written', async () => {
  const readiness = () => ({ ready: false, reasons: ['x'] })
  const service = ownEventsService({ log, readiness, reach, failed: () => {}, checkMs: 1 })
  await service.update(config({ POD_NAME: '' }))
  await service.close('removed')
  expect(api.requests).toEqual([])
})
