import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { agentConfig } from '../config/agent-config.ts'
import { resolveValues } from '../config/resolve.ts'
import type { Service } from '../shared/service.ts'
import { type IdleMemoryDeps, idleMemoryService } from './idle-memory-service.ts'

const CHECK_MS = 10_000

const config = () =>
  agentConfig(resolveValues({}, [{ KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }]))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/**
 * Creates a service. `after` simulates checks after the given processor times and returns the number of calls of `shrink`.
 */
async function resting(deps: IdleMemoryDeps = {}) {
  let cpu = 250
  const shrink = vi.fn<() => void>()
  const service: Service<ReturnType<typeof config>> = idleMemoryService({
    shrink,
    cpuMs: () => cpu,
    checkMs: CHECK_MS,
    ...deps,
  })
  await service.update(config())
  const after = (...work: readonly number[]): number => {
    for (const ms of work) {
      cpu += ms
      vi.advanceTimersByTime(CHECK_MS)
    }
    return shrink.mock.calls.length
  }
  return { service, after }
}

test('memory is released after the start, and later only after enough work', async () => {
  const { after } = await resting()
  expect(after(900, 800)).toBe(0)
  expect(after(10)).toBe(1)
  expect(after(...Array.from({ length: 20 }, () => 10))).toBe(1)
  expect(after(3000)).toBe(1)
  expect(after(100, 100, 100)).toBe(2)
  expect(after(...Array.from({ length: 9 }, () => 300))).toBe(2)
  expect(after(300, 300)).toBe(3)
})

test('a closed part no longer checks', async () => {
  const { service, after } = await resting()
  after(10)
  await service.close('removed')
  expect(after(500, 10)).toBe(1)
})

test('a runtime without `shrink` is left alone', async () => {
  const { after } = await resting({ shrink: undefined })
  expect(after(900, 10)).toBe(0)
})
