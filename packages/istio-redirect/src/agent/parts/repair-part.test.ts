import { expect, test } from 'vitest'
import { agentConfig } from '../config/agent-config.ts'
import { resolveValues } from '../config/resolve.ts'
import { podWatches } from '../pods/pod-watches.ts'
import type { RepairServices } from '../repair/start-repair.ts'
import { metricsRegistry } from '../serve/metrics.ts'
import { repairPart } from './repair-part.ts'

const config = (env: Record<string, string>) =>
  agentConfig(resolveValues({}, [{ KUBERNETES_SERVICE_HOST: '::1', KUBERNETES_SERVICE_PORT: '443', ...env }]))

/** Creates a repair controller that records its services and runs until it is stopped. */
function controller(begin: (services: RepairServices) => void = () => {}) {
  const started: RepairServices[] = []
  const start = async () => (services: RepairServices) => {
    started.push(services)
    begin(services)
    return new Promise<void>((resolve) => services.signal.addEventListener('abort', () => resolve()))
  }
  return { started, start }
}

const lines: string[] = []
const note = (msg: string) => void lines.push(msg)
const log = { debug: note, info: note, warn: note, error: note }

test('repair is not loaded if it is off', async () => {
  const part = repairPart({ log, metrics: metricsRegistry(), watches: podWatches() }, () =>
    Promise.reject(new Error('loaded')),
  )
  await part.update(config({}))
  await part.close('removed')
  expect(lines).toEqual([])
})

test('repair starts once, restarts with a new configuration, and stops', async () => {
  const { started, start } = controller()
  const part = repairPart({ log, metrics: metricsRegistry(), watches: podWatches() }, start)
  await part.update(config({ REPAIR_LABEL_PODS: 'true' }))
  await part.update(config({ REPAIR_LABEL_PODS: 'true', POD_NAMESPACE: '' }))
  await expect.poll(() => started.length).toBe(1)
  expect(started[0]?.api).toMatchObject({ server: 'https://[::1]:443' })
  await part.update(config({ REPAIR_DELETE_PODS: 'true' }))
  await expect.poll(() => started.length).toBe(2)
  expect(started.map(({ signal, config: one }) => [signal.aborted, one.deletePods])).toEqual([
    [true, false],
    [false, true],
  ])
  await part.close('removed')
  expect(started[1]?.signal.aborted).toBe(true)
})

test('a failing controller is logged and does not block the stop of the agent', async () => {
  const { started, start } = controller(() => {
    throw new Error('no such client')
  })
  const part = repairPart({ log, metrics: metricsRegistry(), watches: podWatches() }, start)
  await part.update(config({ REPAIR_LABEL_PODS: 'true' }))
  await expect.poll(() => lines).toEqual(['repair: no such client'])
  await part.close('removed')
  expect(started).toHaveLength(1)
})
