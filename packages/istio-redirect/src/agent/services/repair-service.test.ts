import { expect, test } from 'vitest'
import { agentConfig } from '../config/agent-config.ts'
import { resolveValues } from '../config/resolve.ts'
import { podWatches } from '../pods/pod-watches.ts'
import type { RepairDeps } from '../repair/start-repair.ts'
import { metricsRegistry } from '../serve/metrics.ts'
import { repairService } from './repair-service.ts'

const config = (env: Record<string, string>) =>
  agentConfig(resolveValues({}, [{ KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: '443', ...env }]))

/** Creates a repair controller that records its deps and runs until it is stopped. */
function controller(begin: (deps: RepairDeps) => void = () => {}) {
  const started: RepairDeps[] = []
  const start = async () => (deps: RepairDeps) => {
    started.push(deps)
    begin(deps)
    return new Promise<void>((resolve) => deps.signal.addEventListener('abort', () => resolve()))
  }
  return { started, start }
}

const lines: string[] = []
const note = (msg: string) => void lines.push(msg)
const log = { debug: note, info: note, warn: note, error: note }

test('repair is not loaded if it is off', async () => {
  const service = repairService({ log, metrics: metricsRegistry(), watches: podWatches() }, () =>
    Promise.reject(new Error('loaded')),
  )
  await service.update(config({}))
  await service.close('removed')
  expect(lines).toEqual([])
})

test('repair starts once, restarts with a new configuration, and stops', async () => {
  const { started, start } = controller()
  const service = repairService({ log, metrics: metricsRegistry(), watches: podWatches() }, start)
  await service.update(config({ REPAIR_LABEL_PODS: 'true' }))
  await service.update(config({ REPAIR_LABEL_PODS: 'true', POD_NAMESPACE: '' }))
  await expect.poll(() => started.length).toBe(1)
  expect(started[0]?.api).toMatchObject({ server: 'https://[::1]:443' })
  await service.update(config({ REPAIR_DELETE_PODS: 'true' }))
  await expect.poll(() => started.length).toBe(2)
  expect(started.map(({ signal, config: one }) => [signal.aborted, one.deletePods])).toEqual([
    [true, false],
    [false, true],
  ])
  await service.close('removed')
  expect(started[1]?.signal.aborted).toBe(true)
})

test('a failing controller is logged and does not block the stop of the agent', async () => {
  const { started, start } = controller(() => {
    throw new Error('no such client')
  })
  const service = repairService({ log, metrics: metricsRegistry(), watches: podWatches() }, start)
  await service.update(config({ REPAIR_LABEL_PODS: 'true' }))
  await expect.poll(() => lines).toEqual(['repair: no such client'])
  await service.close('removed')
  expect(started).toHaveLength(1)
})
