import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, type Grant, startApiServer } from '@cni/kube/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentConfig } from '../config/agent-config.ts'
import { resolveValues } from '../config/resolve.ts'
import { serverReach } from '../shared/server-reach.ts'
import { upgradeService } from './upgrade-service.ts'

let folder: string
let api: ApiServer
let lines: string[]
const note = (msg: string) => void lines.push(msg)
const log = { debug: note, info: note, warn: note, error: note }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-part-'))
  lines = []
})
afterEach(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

async function serving(
  grants: readonly Grant[],
  env: Record<string, string> = {},
  prepare: (server: ApiServer) => void = () => {},
) {
  api = await startApiServer({ grants })
  prepare(api)
  writeFileSync(join(folder, 'token'), api.token)
  writeFileSync(join(folder, 'ca.crt'), api.ca)
  const { hostname, port } = new URL(api.url)
  const server = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, SERVICE_ACCOUNT_DIR: folder }
  const config = agentConfig(resolveValues({}, [{ ...server, POD_NAMESPACE: 'istio-system', NODE_NAME: 'n1', ...env }]))
  const refusals: string[] = []
  const reach = serverReach()
  reach.onRefusal((problem) => void refusals.push(problem))
  const service = upgradeService({ log, reach, pauseMs: 5 })
  await service.update(config)
  return { service, refusals }
}

test('with permission, the agent reads its DaemonSet once and logs nothing', async () => {
  const { service, refusals } = await serving(['get daemonsets'])
  await expect.poll(() => api.requests.length).toBe(1)
  await service.close('removed')
  expect([service.problem(), refusals, lines]).toEqual([undefined, [], []])
})

test('without permission, the agent logs that once and retries', async () => {
  const { service, refusals } = await serving([])
  const words = 'cannot get resource "daemonsets" in API group "apps" in the namespace "istio-system"'
  await expect.poll(() => api.requests.length).toBeGreaterThan(2)
  expect(service.problem()).toContain(words)
  expect(refusals).toEqual([expect.stringContaining(words)])
  expect(lines).toEqual([
    expect.stringContaining('cannot distinguish an update of the DaemonSet from its removal: GET '),
  ])
  await service.close('removed')
})

test('a failing server is queried again without a report', async () => {
  const { service, refusals } = await serving(['get daemonsets'], {}, (server) =>
    server.misbehave({ status: 503 }, { status: 503 }, { status: 503 }),
  )
  await expect.poll(() => api.requests.length, { timeout: 10_000 }).toBe(4)
  await service.close('removed')
  expect([service.problem(), refusals, lines]).toEqual([undefined, [], []])
})

test.each<[string, Record<string, string>]>([
  ['cleans up at every stop', { AMBIENT_DISABLE_SAFE_UPGRADE: 'true' }],
  ['has no namespace', { POD_NAMESPACE: '' }],
])('an agent that %s does not read its DaemonSet', async (_, env) => {
  const { service } = await serving([], env)
  await service.close('removed')
  expect(api.requests).toEqual([])
})
