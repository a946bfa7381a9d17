import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ApiServer, type Grant, startApiServer } from '../testing/index.ts'
import { agentConfig } from './config/agent-config.ts'
import { resolveValues } from './config/resolve.ts'
import { ownEventsPart } from './own-events-part.ts'
import type { Readiness } from './serve/health.ts'

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

const lines: string[] = []
const note = (msg: string) => void lines.push(msg)
const log = { debug: note, info: note, warn: note, error: note }

test('what lasts is one event, until it is something else', async () => {
  let now: Readiness = { ready: false, reasons: ['binary: read-only file system', 'log socket: none'] }
  const part = ownEventsPart({ log, readiness: () => now, failed: () => {}, lookMs: 5 })
  await part.update(config())
  const messages = () => api.events().map((one) => ('message' in one ? one.message : ''))
  await expect.poll(messages).toEqual(['binary: read-only file system; log socket: none'])
  now = { ready: false, reasons: ['binary: no space left on device'] }
  await expect
    .poll(messages)
    .toEqual(['binary: read-only file system; log socket: none', 'binary: no space left on device'])
  now = { ready: true, reasons: [] }
  await part.close('removed')
  expect(api.events()).toMatchObject([
    { reason: 'NotReady', involvedObject: { kind: 'Pod', name: 'istio-cni-node-x7', uid: 'u-1' } },
    { reason: 'NotReady' },
  ])
})

test('without the right to write events it says so once, and counts', async () => {
  await api.close()
  await serve([])
  let failures = 0
  lines.length = 0
  const readiness = () => ({ ready: false, reasons: ['x'] })
  const part = ownEventsPart({ log, readiness, failed: () => void failures++, lookMs: 1 })
  await part.update(config())
  await expect.poll(() => failures).toBeGreaterThan(1)
  await part.close('removed')
  expect(lines).toEqual([expect.stringContaining('cannot create resource "events"')])
})

test('outside of a pod there is nothing to write about', async () => {
  const readiness = () => ({ ready: false, reasons: ['x'] })
  const part = ownEventsPart({ log, readiness, failed: () => {}, lookMs: 1 })
  await part.update(config({ POD_NAME: '' }))
  await part.close('removed')
  expect(api.requests).toEqual([])
})
