import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { agentConfig } from './config/agent-config.ts'
import { resolveValues } from './config/resolve.ts'
import type { Part } from './part.ts'
import { type RestServices, restPart } from './rest-part.ts'

const LOOK_MS = 10_000

const config = (env: Record<string, string> = {}) =>
  agentConfig(resolveValues({}, [{ KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', ...env }]))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A part, and how often it has acted after looks between which the process worked for so long. */
async function resting(env?: Record<string, string>, services: RestServices = {}) {
  let cpu = 250
  const shrink = vi.fn<() => void>()
  const warmUp = vi.fn<(socket: string, signal: AbortSignal) => Promise<void>>(async () => {})
  const part: Part<ReturnType<typeof config>> = restPart({
    shrink,
    warmUp,
    cpuMs: () => cpu,
    lookMs: LOOK_MS,
    ...services,
  })
  await part.update(config(env))
  const after = (...work: readonly number[]): number => {
    for (const ms of work) {
      cpu += ms
      vi.advanceTimersByTime(LOOK_MS)
    }
    return shrink.mock.calls.length
  }
  return { part, after, shrink, warmUp }
}

test('memory is given back when the start is over, and then only after work that was worth it', async () => {
  const { after } = await resting()
  expect(after(900, 800)).toBe(0)
  expect(after(10)).toBe(1)
  expect(after(...Array.from({ length: 20 }, () => 10))).toBe(1)
  expect(after(3000)).toBe(1)
  expect(after(100, 100, 100)).toBe(2)
  expect(after(...Array.from({ length: 9 }, () => 300))).toBe(2)
  expect(after(300, 300)).toBe(3)
})

test('the code of a served call is made again at once, where calls are served', async () => {
  const serving = await resting({ CNI_AGENT_RUN_DIR: '/run/agent' })
  serving.after(10)
  expect(serving.warmUp.mock.calls.map(([socket]) => socket)).toEqual(['/run/agent/serve.sock'])
  const alone = await resting({ SERVE_PLUGIN: 'false' })
  expect(alone.after(10)).toBe(1)
  expect(alone.warmUp).not.toHaveBeenCalled()
})

test('closed, it looks no more', async () => {
  const { part, after, warmUp } = await resting()
  after(10)
  await part.close('removed')
  expect(warmUp.mock.calls.at(0)?.[1].aborted).toBe(true)
  expect(after(500, 10)).toBe(1)
})

test('a runtime that cannot give back is left alone', async () => {
  const { after, warmUp } = await resting({}, { shrink: undefined })
  after(10)
  expect(warmUp).not.toHaveBeenCalled()
})
