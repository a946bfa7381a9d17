import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AmbientModeOptions } from '../ambient/start-ambient.ts'
import { agentConfig } from '../config/agent-config.ts'
import { resolveValues } from '../config/resolve.ts'
import { podWatches } from '../pods/pod-watches.ts'
import { metricsRegistry } from '../serve/metrics.ts'
import { type AmbientDeps, ambientService } from './ambient-service.ts'

const config = (env: Record<string, string>) =>
  agentConfig(
    resolveValues({}, [{ KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: '443', NODE_NAME: 'n1', ...env }]),
  )
const on = { AMBIENT_ENABLED: 'true' }

/** Creates a service whose ambient mode only records its starts and stops. */
function noted() {
  const notes: string[] = []
  let aside = false
  const stepAside = (is: boolean): void => {
    aside = is
  }
  const note = (msg: string) => void notes.push(msg)
  const deps: AmbientDeps = {
    log: { debug: note, info: note, warn: note, error: note },
    metrics: metricsRegistry(),
    watches: podWatches(),
    failed: () => note('failed'),
    closed: () => {},
    isStandby: () => aside,
  }
  const load = async () => async (options: AmbientModeOptions) => {
    const name = `ambient ${options.config.excludeNamespaces.join()}`
    note(`${name} starts`)
    return {
      status: () => ({ enrolled: 1, pending: 0, waiting: [], ztunnels: 1 }),
      problem: () => undefined,
      unready: () => undefined,
      enrol: async () => 'enrolled' as const,
      stop: async (why: string) => note(`${name} stops: ${why}`),
    }
  }
  return { notes, service: ambientService(deps, load), deps, stepAside }
}

test('ambient mode is not loaded if it is off', async () => {
  const { deps } = noted()
  const service = ambientService(deps, () => Promise.reject(new Error('loaded')))
  await service.update(config({}))
  expect([service.status(), service.problems()]).toEqual([undefined, []])
  await service.close('removed')
})

test('after a change of settings, the old instance stops before the new one starts', async () => {
  const { notes, service } = noted()
  await service.update(config({ ...on, EXCLUDE_NAMESPACES: 'a' }))
  await service.update(config({ ...on, EXCLUDE_NAMESPACES: 'a', HEALTH_PORT: '1' }))
  await service.update(config({ ...on, EXCLUDE_NAMESPACES: 'b' }))
  await expect.poll(() => service.status()).toMatchObject({ enrolled: 1 })
  await service.close('followed')
  expect(notes).toEqual([
    'ambient a starts',
    'ambient a stops: exchanged',
    'ambient b starts',
    'ambient b stops: followed',
  ])
})

test('switching it off removes everything, and a newer agent gets everything', async () => {
  const { notes, service, stepAside } = noted()
  await service.update(config(on))
  await service.update(config({}))
  await service.update(config(on))
  stepAside(true)
  await service.update(config(on))
  expect(service.status()).toBeUndefined()
  stepAside(false)
  await service.update(config(on))
  await service.close('removed')
  expect(notes.filter((text) => text.includes('stops'))).toEqual([
    'ambient  stops: removed',
    'ambient  stops: exchanged',
    'ambient  stops: removed',
  ])
})

test('without a node name it reports the problem and enrols no pods', async () => {
  const { service } = noted()
  await service.update(config({ ...on, NODE_NAME: '' }))
  await expect.poll(() => service.problems()).toEqual([expect.stringContaining('ambient mode: NODE_NAME is not set')])
  const pod = { namespace: 'a', name: 'b', netns: '', addresses: [] }
  expect(await service.enrol(pod, new AbortController().signal)).toBeUndefined()
})

test("a change between node and pod redirection removes the former mode's state", async () => {
  const { notes, service } = noted()
  const node = { ...on, AMBIENT_REDIRECT_MODE: 'node-iptables' }
  await service.update(config(node))
  await service.update(config({ ...node, AMBIENT_TUNNEL: 'vxlan' }))
  await service.update(config(on))
  await service.update(config(node))
  await service.close('followed')
  expect(notes.filter((text) => text.includes('stops'))).toEqual([
    'ambient  stops: exchanged',
    'ambient  stops: removed',
    'ambient  stops: removed',
    'ambient  stops: followed',
  ])
})

test('if it is off, the state that a former agent left on the node is removed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-ambient-part-'))
  try {
    const { deps } = noted()
    const told: string[] = []
    const service = ambientService(deps, undefined, async ({ values }) => void told.push(values.cniAgentRunDir))
    await service.update(config({ CNI_AGENT_RUN_DIR: folder }))
    expect(told).toEqual([folder])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
